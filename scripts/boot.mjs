/**
 * Runs one of our programs on the Node this project pins, with its flags: `node scripts/boot.mjs <program> [arguments]`.
 * A fresh clone has neither that Node nor any package, so this file and what it imports run on Node 20 with nothing else.
 */
import { readFileSync } from "node:fs"
import { constants } from "node:os"
import { delimiter, join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

/** This process is that Node, started below. */
const again = process.env.VENUE_BOOT === process.ppid.toString()
const [program, ...args] = process.argv.slice(2)
const say = (text) => console.log(`venue: ${text}`)
// A line that a full disk or a closed pipe does not take is lost, and no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
let isAskedToStop = false
const isApp = program?.startsWith("apps/") === true
// What serves has ended well when it ends as it was asked to; tests that were stopped have not passed.
if (isApp)
  process.on("SIGTERM", () => {
    isAskedToStop = true
    // Nobody else listens, so nothing runs yet that would have to be stopped first.
    if (process.listenerCount("SIGTERM") === 1) process.exit(0)
  })
if (!again) say(`starting ${program}`)

const { ensureInstalled, nodeProgram, root } = await import("./Installation.mjs")
const { run } = await import("./Program.mjs")

process.chdir(root)
stopWithParent()
try {
  await ensureInstalled(say)
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
  // The child may have been too young to hear the signal.
  process.exit(isAskedToStop && code === 128 + constants.signals.SIGTERM ? 0 : code)
}

/**
 * Nearly all a busy venue makes is dead within milliseconds: with room for it, next to nothing is alive to be copied. The
 * room is there from the start, or it would shrink in every quiet time and grow anew in the next busy one. And a command's
 * way through the matching machine is many small functions, of which by default only the first are inlined.
 */
function flags() {
  return JSON.parse(readFileSync(new URL("node-flags.json", import.meta.url), "utf8"))
}

/**
 * What one start compiles, the next ones read, and so do the processes that ours starts. It is a file for each module of ours
 * and of the packages, and goes with the packages; where nothing may be written, Node does without.
 */
function compileCache() {
  return { NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "compiled") }
}

/** A closed terminal, or an npm that was killed, leaves nothing running: both end as a request to stop. */
function stopWithParent() {
  const stop = () => process.kill(process.pid, "SIGTERM")
  process.on("SIGHUP", stop)
  // The Node that this one started ends with it, too, when it is killed outright.
  if (process.env.npm_lifecycle_event === undefined && !again) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    stop()
  }, 250)
  watch.unref()
}
