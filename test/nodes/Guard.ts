/** A guard process that kills this process's children after a SIGKILL, when this process cannot run any handler. */
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"

/**
 * Registers a process with the guard. When this process exits, the guard sends the signal to the registered process.
 * Returns a function that removes the registration; call it after the registered process has exited.
 */
export const over = (pid: number, signal: "SIGKILL" | "SIGQUIT" | "SIGTERM" = "SIGKILL"): (() => void) => {
  guard ??= begin()
  send(`+ ${pid} ${signal}`)
  return () => send(`- ${pid}`)
}

let guard: ChildProcess | undefined

const send = (line: string): void => void guard?.stdin?.write(`${line}\n`)

/**
 * Starts the guard, whose standard input closes when this process exits. `detached` puts it in a process group that
 * Ctrl-C does not reach.
 */
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
