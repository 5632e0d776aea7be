/** Which words a file uses of those that `docs/design/vocabulary.md` has given up. */
import { basename } from "node:path"

/** A word in lower case may be used nowhere; a name in capitals may be no name in the code, and no name of a file. */
export interface GivenUp {
  readonly words: ReadonlyArray<string>
  /** Rooms by a part of their paths where the words have a meaning of their own. */
  readonly butIn: ReadonlyArray<string>
}

/** Reads the table of words that are used no more: the words, what to say instead, and where they are right. */
export const givenUp = (vocabulary: string): ReadonlyArray<GivenUp> =>
  (vocabulary.split("## Words that are not used")[1] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => {
      const [, words = "", , butIn = ""] = line.split("|")
      return { words: quoted(words), butIn: quoted(butIn) }
    })

/** What the file at `path` should not say, each word once. Texts are left out, since the wire has words of its own. */
export const misused = (path: string, text: string, table: ReadonlyArray<GivenUp>): ReadonlyArray<string> => {
  const { names, words } = said(path, text)
  return table
    .filter(({ butIn }) => !butIn.some((room) => path.includes(room)))
    .flatMap((row) => row.words)
    .filter((word) => (/^[A-Z]/.test(word) ? names : words).has(word))
}

const quoted = (cell: string): ReadonlyArray<string> => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word)

/** Of code, the comments, the texts between quotes of each kind, and the titles of tests, which are for readers. */
const comments = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g
const texts = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g
const titles = /\b(?:it|describe)(?:\.\w+)*\(\s*"((?:\\.|[^"\\])*)"/g
const tokens = new RegExp(`${comments.source}|${texts.source}`, "g")

function said(path: string, text: string): { readonly names: Set<string>; readonly words: Set<string> } {
  const code = text.replaceAll(tokens, " ")
  const prose = [...text.matchAll(tokens)].map(([token]) => token).filter((token) => token.startsWith("/"))
  const titled = [...text.matchAll(titles)].map(([, title = ""]) => title)
  const file = basename(path).replace(/(\.test)?\.ts$/, "")
  return {
    names: new Set([file, ...(code.match(/\b[A-Za-z]\w*/g) ?? [])]),
    words: new Set([path, code, ...prose, ...titled].flatMap(wordsOf))
  }
}

/** Names of several words fall apart at their capitals. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  (text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase())
