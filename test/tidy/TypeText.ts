/** Text of a type with the texts of all types it refers to in this repository. */
import { basename } from "node:path"
import { imports, read } from "./Files.ts"

interface Named {
  readonly file: string
  readonly name: string
}

/** Returns the declarations by name, in alphabetical order, without comments and messages, and on one line each. */
export const texts = (root: Named): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const wanted = [root]
  for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
    const key = `${next.name} of ${next.file}`
    const text = found.has(key) ? undefined : declarations(next.file).get(next.name)
    if (text === undefined) continue
    found.set(key, text)
    wanted.push(...mentioned(next.file, text))
  }
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** In formatted files, only declarations and closing brackets start at the margin. */
const declarations = (file: string): ReadonlyMap<string, string> => {
  const code = read(file).replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$|,\s*\{\s*expected: "[^"]*"\s*\}/gm, "")
  const found = new Map<string, string>()
  for (const text of code.split(/\n(?=[^\s)}\]|])/)) {
    const [, kind, name] = /^(?:export )?(interface|type|const) (\w+)/.exec(text) ?? []
    if (kind === undefined || name === undefined) continue
    // A constant is part of the shape only if it is a schema. A list of literals is allowed to grow, so it is not
    // part of the shape.
    if (kind === "const" && (!text.includes("Schema.") || text.includes("= Schema.Literals("))) continue
    found.set(name, [found.get(name), text.replaceAll(/\s+/g, " ").trim()].filter(Boolean).join(" "))
  }
  return found
}

/**
 * Returns the names that a text uses: from its own file, from imports, and from namespace imports such as
 * `Takeovers.StoredTakeover`.
 */
const mentioned = (file: string, text: string): ReadonlyArray<Named> => {
  const words = new Set(text.match(/\b[A-Za-z]\w*\b/g))
  const used = imports.filter((each) => each.file === file && each.ours)
  const own = Array.from(words, (name) => ({ file, name }))
  const others = used.flatMap(({ names, target }) =>
    names.filter((name) => words.has(name)).map((name) => ({ file: target, name }))
  )
  const within = [...text.matchAll(/\b([A-Z]\w*)\.([A-Z]\w*)\b/g)].flatMap(([, room = "", name = ""]) =>
    used.filter(({ target }) => basename(target) === `${room}.ts`).map(({ target }) => ({ file: target, name }))
  )
  return [...own, ...others, ...within]
}
