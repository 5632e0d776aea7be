/** Ends processes once whoever started them is gone. Lines `+ pid signal` and `- pid` come by standard input; its end is the cue. */
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
      // One that is frozen hears it only now.
      send(pid, "SIGCONT")
    }
  })

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}
