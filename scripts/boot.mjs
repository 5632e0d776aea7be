/**
 * Runs a program on the pinned Node with its flags: `node scripts/boot.mjs <program> [arguments]`. A fresh clone has neither
 * that Node nor any package, so this file and its imports run on Node 20 alone.
 */
import { readFileSync } from "node:fs"
import { constants } from "node:os"
import { delimiter, join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

/** True in the process on the pinned Node, which is started below. */
const again = process.env.VENUE_BOOT === process.ppid.toString()
const [program, ...args] = process.argv.slice(2)
const say = (text) => console.log(`venue: ${text}`)
// If a full disk or a closed pipe rejects output, that output is lost and the program continues.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
let isAskedToStop = false
const isApp = program?.startsWith("apps/") === true
// SIGTERM stops a server normally, with code 0. For tests, it is a failure.
if (isApp)
  process.on("SIGTERM", () => {
    isAskedToStop = true
    // If this is the only listener, the program has not started yet, so the process exits immediately.
    if (process.listenerCount("SIGTERM") === 1) process.exit(0)
  })
if (!again) say(`starting ${program}`)

const { ensureInstalled, nodeProgram, root } = await import("./Installation.mjs")
const { run } = await import("./Program.mjs")

process.chdir(root)
stopWithParent()
try {
  await ensureInstalled(program, say)
} catch (error) {
  console.error(`venue: ${error.message}`)
  process.exit(1)
}

const binaries = join(root, "node_modules", ".bin")
if (!process.env.PATH?.split(delimiter).includes(binaries))
  process.env.PATH = `${binaries}${delimiter}${process.env.PATH}`

if (again) {
  process.argv = [process.execPath, resolve(program), ...args]
  await import(pathToFileURL(resolve(program)).href)
} else {
  const env = { ...(isApp ? compileCache() : {}), ...process.env, VENUE_BOOT: String(process.pid) }
  const code = await run(nodeProgram, [...flags(), fileURLToPath(import.meta.url), program, ...args], { env })
  // SIGTERM kills a child that has no handler yet. This counts as a normal stop.
  process.exit(isAskedToStop && code === 128 + constants.signals.SIGTERM ? 0 : code)
}

/**
 * Returns the flags for Node. Most objects in a busy venue live for only milliseconds, so a large young generation
 * leaves little to copy; its size is fixed, so that it does not shrink while the venue is quiet. By default, Node
 * inlines only the first of the matching code's many small functions.
 */
function flags() {
  return JSON.parse(readFileSync(new URL("node-flags.json", import.meta.url), "utf8"))
}

/**
 * Returns the variable for the compile cache, which later starts and child processes share. The cache has a file for
 * each module and is removed with node_modules. If its folder is not writable, Node runs without it.
 */
function compileCache() {
  return { NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "compiled") }
}

/** Sends SIGTERM to this process when the terminal closes or npm exits, so that no process is left behind. */
function stopWithParent() {
  const stop = () => process.kill(process.pid, "SIGTERM")
  process.on("SIGHUP", stop)
  // The process on the pinned Node also exits after a SIGKILL of its parent.
  if (process.env.npm_lifecycle_event === undefined && !again) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    stop()
  }, 250)
  watch.unref()
}
