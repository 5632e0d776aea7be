/** A guard process that ends the children of this process after a SIGKILL, when no handler of this process runs. */
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"

/** Has the guard send the signal to the process when this one is gone. Returns a function that cancels this after its end. */
export const over = (pid: number, signal: "SIGKILL" | "SIGQUIT" | "SIGTERM" = "SIGKILL"): (() => void) => {
  guard ??= begin()
  send(`+ ${pid} ${signal}`)
  return () => send(`- ${pid}`)
}

let guard: ChildProcess | undefined

const send = (line: string): void => void guard?.stdin?.write(`${line}\n`)

/** Starts the guard, whose input ends with this process. `detached` gives it a process group that Ctrl-C does not reach. */
const begin = (): ChildProcess => {
  const child = spawn(process.execPath, [join(import.meta.dirname, "GuardProcess.ts")], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true
  })
  child.unref()
  child.stdin.on("error", () => {})
  ;(child.stdin as unknown as { unref: () => void }).unref()
  return child
}
