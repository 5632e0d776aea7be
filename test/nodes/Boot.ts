/** What `scripts/boot.mjs` gives a program that it runs: a test starts one so, without a look at the packages each time. */
import { readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..", "..")
const { HOME = "", PATH = "" } = process.env

export const flags = JSON.parse(readFileSync(join(root, "scripts/node-flags.json"), "utf8")) as ReadonlyArray<string>

/** All that is known of the machine. */
export const environment = { HOME, PATH, NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "compiled") }
