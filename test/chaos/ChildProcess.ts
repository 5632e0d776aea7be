/** A child process that can be started, frozen, killed and restarted. */
import { type ChildProcess as Child, spawn } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { join } from "node:path"
import * as Boot from "../nodes/Boot.ts"
import * as Guard from "../nodes/Guard.ts"

export type Variables = Readonly<Record<string, string>>

export interface ChildProcess {
  readonly pid: number
  readonly hasEnded: () => boolean
  readonly ended: Promise<number | null>
  readonly signal: (signal: NodeJS.Signals) => void
}

const root = join(import.meta.dirname, "..", "..")

/** Running child processes, which are killed when the tool exits for any reason. */
const alive = new Set<Child>()
process.once("exit", () => {
  for (const child of alive) child.kill("SIGKILL")
})

/** Starts the program and appends its output to the log file. */
export const start = (
  program: string,
  variables: Variables,
  logFile: string,
  args: ReadonlyArray<string> = []
): ChildProcess => {
  const log = openSync(logFile, "a")
  const child = spawn(process.execPath, [...Boot.flags, program, ...args], {
    cwd: root,
    env: { ...Boot.environment, ...variables },
    stdio: ["ignore", log, log],
    // Puts the child in a separate process group: Ctrl-C reaches only the tool, which then stops its children.
    detached: true
  })
  closeSync(log)
  alive.add(child)
  const unguard = child.pid === undefined ? () => {} : Guard.over(child.pid)
  const ended = new Promise<number | null>((tell) => {
    child.once("error", () => tell(null))
    child.once("exit", (code) => {
      alive.delete(child)
      unguard()
      tell(code)
    })
  })
  return {
    pid: child.pid!,
    hasEnded: () => !alive.has(child),
    ended,
    signal: (signal) => {
      if (alive.has(child)) child.kill(signal)
    }
  }
}
