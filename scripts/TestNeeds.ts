/** Finds the test files that need more than memory: a Postgres server, a browser, or processes that they start. */
import { globSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"

/** Returns the test files of the pattern that import one of these modules, directly or through files in test/. */
export const needing = (root: string, pattern: string, modules: ReadonlyArray<string>): ReadonlyArray<string> => {
  const imports = new Map<string, ReadonlyArray<string>>()
  const importsOf = (file: string): ReadonlyArray<string> => {
    const known = imports.get(file)
    if (known !== undefined) return known
    const text = readFileSync(join(root, file), "utf8")
    const targets = [...text.matchAll(/(?:\bfrom\s+|\bimport\()"([^"]+)"/g)].map(([, target = ""]) =>
      target.startsWith(".") ? normalize(join(dirname(file), target)) : target
    )
    imports.set(file, targets)
    return targets
  }
  const needs = (file: string, seen: Set<string>): boolean => {
    seen.add(file)
    return importsOf(file).some(
      (target) =>
        modules.includes(target) ||
        (target.startsWith("test/") && target.endsWith(".ts") && !seen.has(target) && needs(target, seen))
    )
  }
  return globSync(pattern, { cwd: root }).filter((file) => needs(file, new Set()))
}
