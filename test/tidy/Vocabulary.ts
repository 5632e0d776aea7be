/** Finds words in a file that `docs/design/vocabulary.md` has replaced. */
import { basename } from "node:path"

/**
 * A row of the table. Lower-case words are forbidden everywhere; capitalised words are forbidden as names in the code
 * or of a file.
 */
export interface GivenUp {
  readonly words: ReadonlyArray<string>
  /** Parts of paths in which the words are allowed. */
  readonly butIn: ReadonlyArray<string>
}

/** Parses the table of replaced words. */
export const givenUp = (vocabulary: string): ReadonlyArray<GivenUp> =>
  (vocabulary.split("## Words that are not used")[1] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => {
      const [, words = "", , butIn = ""] = line.split("|")
      return { words: quoted(words), butIn: quoted(butIn) }
    })

/**
 * Returns the replaced words in the file at `path`, each once. String literals are exempt, because the wire has its own
 * words.
 */
export const misused = (path: string, text: string, table: ReadonlyArray<GivenUp>): ReadonlyArray<string> => {
  const { names, words } = usedIn(path, text)
  return table
    .filter(({ butIn }) => !butIn.some((room) => path.includes(room)))
    .flatMap((row) => row.words)
    .filter((word) => (/^[A-Z]/.test(word) ? names : words).has(word))
}

const quoted = (cell: string): ReadonlyArray<string> => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word)

/** Comments, string literals of each kind, and test titles. */
const comments = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g
const texts = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g
const titles = /\b(?:it|describe)(?:\.\w+)*\(\s*"((?:\\.|[^"\\])*)"/g
const tokens = new RegExp(`${comments.source}|${texts.source}`, "g")

function usedIn(path: string, text: string): { readonly names: Set<string>; readonly words: Set<string> } {
  const code = text.replaceAll(tokens, " ")
  const prose = [...text.matchAll(tokens)].map(([token]) => token).filter((token) => token.startsWith("/"))
  const titled = [...text.matchAll(titles)].map(([, title = ""]) => title)
  const file = basename(path).replace(/(\.test)?\.ts$/, "")
  return {
    names: new Set([file, ...(code.match(/\b[A-Za-z]\w*/g) ?? [])]),
    words: new Set([path, code, ...prose, ...titled].flatMap(wordsOf))
  }
}

/** Splits names at their capitals. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  (text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase())
