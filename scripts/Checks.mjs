/** Checks of types, lint and format. Each returns whether it passed. */
import { join } from "node:path"
import { root } from "./Installation.mjs"
import { run } from "./Program.mjs"

/** Runs a tool from node_modules on the pinned Node. Returns its exit code. */
export const tool = (name, path, args) => {
  console.log(`venue: ${name}`)
  return run(process.execPath, [join(root, "node_modules", path), ...args], { cwd: root })
}

export const types = async () => (await tool("checking types", "typescript/bin/tsc", ["-p", "."])) === 0

export const lints = async () => (await tool("linting", "oxlint/bin/oxlint", [])) === 0

export const formats = async () => (await tool("checking the format", "oxfmt/bin/oxfmt", ["--check"])) === 0
