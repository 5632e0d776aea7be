/**
 * A child process that measures. It sends a message when it has warmed up, and responds to each request with its
 * result.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Guard from "../nodes/Guard.ts"
import { type Checkout, ours } from "./Checkout.ts"

export interface Worker {
  readonly pid: number
  /** Resolves with the next message that satisfies `isIt`. Fails if the process exits first. */
  readonly hear: <A>(isIt?: (message: A) => boolean) => Promise<A>
  readonly ask: <A>(request: string) => Promise<A>
  readonly stop: () => Promise<void>
}

/** Returns the Node flags for a measured process: a fixed heap limit and the venue's flags. */
export const heapFlagsOf = ({ nodeFlags }: Checkout): ReadonlyArray<string> => [
  "--expose-gc",
  "--max-old-space-size=4096",
  ...nodeFlags
]
export const heapFlags = heapFlagsOf(ours)

/** Starts the checkout's own version of the worker file. */
export const start = (file: string, args: ReadonlyArray<string>, options: WorkerOptions = {}): Worker => {
  const { checkout = ours } = options
  if (!existsSync(join(checkout.folder, "test/bench", file))) {
    throw new Error(`${checkout.name} has no test/bench/${file}: it cannot be compared here`)
  }
  return run(`${file} ${args[0] ?? ""}`, [join(checkout.folder, "test/bench", file), ...args], checkout, options)
}

/**
 * Starts this checkout's worker file on another checkout's packages; that checkout might not have the file. The
 * source is evaluated in the checkout's folder, so that all imports resolve there. The worker must not import files
 * by relative path.
 */
export const startOurs = (file: string, checkout: Checkout, options: Omit<WorkerOptions, "checkout"> = {}): Worker => {
  const source = readFileSync(fileURLToPath(new URL(file, import.meta.url)), "utf8")
  return run(`${file} on ${checkout.name}`, ["--input-type=module-typescript", "--eval", source], checkout, options)
}

function run(name: string, program: ReadonlyArray<string>, { folder }: Checkout, options: WorkerOptions): Worker {
  const child = spawn(process.execPath, [...(options.flags ?? []), ...program], {
    cwd: folder,
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })
  const heard: Array<unknown> = []
  let wake: (() => void) | null = null
  let ended: string | null = null
  child.on("message", (message) => {
    heard.push(message)
    wake?.()
  })
  const gone = (reason: string): void => {
    ended ??= reason
    running.delete(child)
    wake?.()
  }
  child.on("exit", (code, signal) => gone(`ended with ${signal ?? code}`))
  child.on("error", (error) => gone(error.message))
  running.add(child)
  if (child.pid !== undefined) child.once("exit", Guard.over(child.pid))

  const hear = async <A>(isIt: (message: A) => boolean = () => true): Promise<A> => {
    const patience = setTimeout(() => {
      ended ??= `said nothing for ${patienceMinutes} minutes`
      child.kill("SIGKILL")
    }, patienceMinutes * 60_000)
    for (;;) {
      const at = heard.findIndex((message) => isIt(message as A))
      if (at < 0 && ended === null) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      clearTimeout(patience)
      if (at < 0) throw new Error(`${name}: ${ended}`)
      return heard.splice(at, 1)[0] as A
    }
  }
  return {
    pid: child.pid ?? 0,
    hear,
    ask: (request) => {
      child.send(request)
      return hear()
    },
    stop: () => endOf(child)
  }
}

interface WorkerOptions {
  readonly checkout?: Checkout
  readonly flags?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
}

/** Twice the longest load, which is ten minutes of overload. */
const patienceMinutes = 20

/** Workers to kill when this process exits, so that no load keeps running. */
const running = new Set<ChildProcess>()

process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})

function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once("exit", () => resolve())
    child.kill()
  })
}
