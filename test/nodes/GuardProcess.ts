/**
 * Signals registered processes when standard input closes. The lines `+ pid signal` and `- pid` add and remove a
 * process.
 */
import { createInterface } from "node:readline"

const guarded = new Map<number, NodeJS.Signals>()

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const [sign, pid, signal] = line.split(" ")
    if (sign === "+") guarded.set(Number(pid), signal as NodeJS.Signals)
    else guarded.delete(Number(pid))
  })
  .on("close", () => {
    for (const [pid, signal] of guarded) {
      send(pid, signal)
      // A frozen process receives the signal only after SIGCONT.
      send(pid, "SIGCONT")
    }
  })

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has already exited.
  }
}
