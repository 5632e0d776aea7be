/** Files that the tidy tests check, and their imports. */
import { globSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"

export const root = join(import.meta.dirname, "../..")
export const read = (path: string): string => readFileSync(join(root, path), "utf8")
export const find = (...patterns: ReadonlyArray<string>): ReadonlyArray<string> =>
  globSync(patterns, { cwd: root, exclude: ["**/node_modules/**"] }).toSorted()

export const files = find("packages/**/*.ts", "cluster/**/*.ts", "apps/**/*.ts", "scripts/**/*.ts", "test/**/*.ts")
export const house = files.filter((file) => /^(packages|cluster)\//.test(file))
export const documents = find("*.md", "docs/**/*.md")

export const isIn = (room: string) => (path: string) => path === room || path.startsWith(`${room}/`)

export interface Import {
  readonly file: string
  readonly names: ReadonlyArray<string>
  /** Import specifier as written. */
  readonly from: string
  /** Path from the root for our own modules, otherwise the specifier. */
  readonly target: string
  readonly ours: boolean
}

export const imports: ReadonlyArray<Import> = files.flatMap((file) =>
  [...read(file).matchAll(/^(?:import|export)\s+(?:([\w*\s{},]+?)\s+from\s+)?"([^"]+)"/gm)].map(
    ([, names = "", from = ""]): Import => ({ file, from, names: named(names), ...targetOf(file, from) })
  )
)

/** Returns the imported names of a clause: A and B for `type { A, type B as C }`, `*` for `* as D`. */
function named(clause: string): ReadonlyArray<string> {
  const words = clause.replaceAll(/\btype\s+(?=[\w{*])|[{}]/g, " ").split(",")
  return words.map((word) => word.trim().split(/\s/)[0] ?? "").filter((word) => word !== "")
}

function targetOf(file: string, from: string): Pick<Import, "target" | "ours"> {
  if (from.startsWith(".")) return { target: normalize(join(dirname(file), from)), ours: true }
  if (from.startsWith("@venue/cluster/")) return { target: `${from.slice("@venue/".length)}.ts`, ours: true }
  if (from.startsWith("@venue/")) return { target: `packages/${from.slice("@venue/".length)}.ts`, ours: true }
  return { target: from, ours: false }
}
