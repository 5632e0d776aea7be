/** One program run to its end, on our terminal, with our signals. */
import { spawn } from "node:child_process"
import { constants } from "node:os"

/** Gives its exit code; a death by signal counts as a shell counts it. Whoever asks us to stop asks it. */
export const run = (command, args, options = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: "inherit", ...options })
    const pass = (signal) => child.kill(signal)
    for (const signal of signals) process.on(signal, pass)
    child.once("error", reject)
    child.once("exit", (code, signal) => {
      for (const passed of signals) process.removeListener(passed, pass)
      resolve(code ?? 128 + constants.signals[signal])
    })
  })

/** A hangup comes to us as SIGTERM: see boot.mjs. */
const signals = ["SIGINT", "SIGTERM"]
