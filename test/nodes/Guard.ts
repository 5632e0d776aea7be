/** A process beside this one that ends our children when we are killed outright, and no handler of ours can run. */
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"

/** Ends the process with this signal when ours is gone. Returns how to take it back, once the process has ended. */
export const over = (pid: number, signal: "SIGKILL" | "SIGQUIT" | "SIGTERM" = "SIGKILL"): (() => void) => {
  guard ??= begin()
  tell(`+ ${pid} ${signal}`)
  return () => tell(`- ${pid}`)
}

let guard: ChildProcess | undefined

const tell = (line: string): void => void guard?.stdin?.write(`${line}\n`)

/** Its input ends with us, however we end. A group of its own keeps Ctrl-C from it. */
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
