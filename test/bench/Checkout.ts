/** A checkout of the project: this one, or another version to compare it with. */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs"
import { join, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"

export interface Checkout {
  /** Name in the result rows: folder and commit. */
  readonly name: string
  readonly folder: string
  readonly nodeFlags: ReadonlyArray<string>
}

/** Opens a checkout. Throws an error that states the remedy if the checkout cannot run. */
export const open = (given: string): Checkout => {
  const missing = needed.filter((file) => !existsSync(join(given, file)))
  if (missing.length > 0) throw new Error(`${given} is no checkout of this project: it has no ${missing.join(", no ")}`)
  const folder = realpathSync(resolve(given))
  const packages = join(folder, "node_modules", "@venue")
  if (!existsSync(packages)) throw new Error(`${given} has no node_modules: run npm ci in it first`)
  // If a package links to another checkout, the bench would measure that checkout instead.
  const strange = readdirSync(packages).find((name) => !isIn(folder, join(packages, name)))
  if (strange !== undefined) {
    throw new Error(
      `@venue/${strange} of ${given} is in another checkout: remove its node_modules and run npm ci in it`
    )
  }
  return { folder, name: `${given}${commitOf(folder)}`, nodeFlags: flagsOf(folder) }
}

/** Files that the bench needs in another checkout; see README.md. */
const needed = ["scripts/boot.mjs", "apps/dev/main.ts"]

const isIn = (folder: string, path: string): boolean => existsSync(path) && realpathSync(path).startsWith(folder + sep)

/** Reads the checkout's Node flags. Returns an empty list if it has no file of flags. */
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

/** This checkout, which needs no validation because the bench itself runs from it. */
export const ours: Checkout = { name: "ours", folder: resolve(root), nodeFlags: flagsOf(root) }
