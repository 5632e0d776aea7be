/** Runs a program to its end, with this terminal and the signals of this process. */
import { spawn } from "node:child_process"
import { constants } from "node:os"

/** Returns the exit code, or 128 + n if signal n ended the program. Forwards SIGINT and SIGTERM to the program. */
export const run = (command, args, options = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: "inherit", ...options })
    const forward = (signal) => child.kill(signal)
    for (const signal of signals) process.on(signal, forward)
    child.once("error", reject)
    child.once("exit", (code, signal) => {
      for (const forwarded of signals) process.removeListener(forwarded, forward)
      resolve(code ?? 128 + constants.signals[signal])
    })
  })

/** SIGHUP is missing because boot.mjs turns SIGHUP into SIGTERM. */
const signals = ["SIGINT", "SIGTERM"]
