/**
 * The Node flags and environment of `scripts/boot.mjs`, for tests that start a program without its check of installed
 * packages.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..", "..")
const { HOME = "", PATH = "" } = process.env

export const flags = JSON.parse(readFileSync(join(root, "scripts/node-flags.json"), "utf8")) as ReadonlyArray<string>

/**
 * Environment variables that a program needs from this machine, the folder of the compile cache, and a limit for stops
 * that a busy machine also meets.
 */
export const environment = {
  HOME,
  PATH,
  NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "compiled"),
  VENUE_STOP_SECONDS: "600"
}
