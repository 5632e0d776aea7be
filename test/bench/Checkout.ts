/** A folder with the whole project in it: this one, or another that it is compared with. */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs"
import { join, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"

export interface Checkout {
  /** How rows name it: the folder and its commit. */
  readonly name: string
  readonly folder: string
  /** What its venue's Node is started with. */
  readonly nodeFlags: ReadonlyArray<string>
}

/** Fails, saying what to do, when nothing of it could be run. */
export const open = (given: string): Checkout => {
  const missing = needed.filter((file) => !existsSync(join(given, file)))
  if (missing.length > 0) throw new Error(`${given} is no checkout of this project: it has no ${missing.join(", no ")}`)
  const folder = realpathSync(resolve(given))
  const packages = join(folder, "node_modules", "@venue")
  if (!existsSync(packages)) throw new Error(`${given} has no node_modules: run npm ci in it first`)
  // A link to the packages of another checkout would have that one measured.
  const strange = readdirSync(packages).find((name) => !isIn(folder, join(packages, name)))
  if (strange !== undefined) {
    throw new Error(
      `@venue/${strange} of ${given} is in another checkout: remove its node_modules and run npm ci in it`
    )
  }
  return { folder, name: `${given}${commitOf(folder)}`, nodeFlags: flagsOf(folder) }
}

/** All that is asked of another checkout, with the workers of the bench; see README.md. */
const needed = ["scripts/boot.mjs", "apps/dev/main.ts"]

const isIn = (folder: string, path: string): boolean => existsSync(path) && realpathSync(path).startsWith(folder + sep)

/** A checkout without that file has no flags of its own. */
const flagsOf = (folder: string): ReadonlyArray<string> => {
  const file = join(folder, "scripts", "node-flags.json")
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as ReadonlyArray<string>) : []
}

const commitOf = (folder: string): string => {
  const { status, stdout } = spawnSync("git", ["describe", "--always", "--dirty", "--exclude=*"], {
    cwd: folder,
    encoding: "utf8"
  })
  return status === 0 ? ` (${stdout.trim()})` : ""
}

const root = fileURLToPath(new URL("../..", import.meta.url))

/** This one; it runs, so there is nothing to ask of it. */
export const ours: Checkout = { name: "ours", folder: resolve(root), nodeFlags: flagsOf(root) }
