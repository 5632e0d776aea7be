/** The image contains every file that its programs import. */
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import { read, root } from "./Manifests.ts"

const copied = [...read("Dockerfile").matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, paths = ""]) => paths.split(" "))
const isCopied = (file: string): boolean => copied.some((path) => file === path || file.startsWith(`${path}/`))

/** Returns the file and all files of this project that it imports by a relative path. */
const closure = (file: string, files = new Set<string>()): ReadonlySet<string> => {
  if (files.has(file)) return files
  files.add(file)
  for (const [, target = ""] of read(file).matchAll(/(?:from|import) "(\.\.?\/[^"]+)"/g))
    closure(join(dirname(file), target), files)
  return files
}

const tools = [...read("docs/operate/deploy.md").matchAll(/^\| `(apps\/[\w-]+\/main\.ts)` \| `([\w-]+)` \|/gm)]
const nodes = ["runner", "gateway", "auditor", "wallet"].map((name) => `apps/${name}/main.ts`)

it("the image contains each node and each tool of the deployment page, with the files that they import", () => {
  expect(tools.length).toBeGreaterThanOrEqual(4)
  for (const program of [...nodes, ...tools.map(([, program]) => program!)]) {
    expect(existsSync(join(root, program))).toBe(true)
    expect([...closure(program)].filter((file) => !isCopied(file))).toEqual([])
  }
})

it("each tool of the deployment page has a script of the given name", () => {
  const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> }
  for (const [, program, name] of tools) expect(scripts[name!]).toContain(` ${program}`)
})
