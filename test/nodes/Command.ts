/** Runs a command of this project until it exits. Returns its exit code and output. */
import { spawn } from "node:child_process"
import { onTestFinished } from "vitest"
import * as Boot from "./Boot.ts"
import * as Guard from "./Guard.ts"

export const run = async (
  program: string,
  options: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>> = {}
): Promise<{ readonly code: number | null; readonly output: string }> => {
  const child = spawn(process.execPath, [...Boot.flags, program, ...options], {
    env: { ...process.env, ...Boot.environment, ...variables },
    stdio: ["ignore", "pipe", "pipe"]
  })
  child.once("exit", Guard.over(child.pid!))
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += String(text)))
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)))
  onTestFinished(async () => {
    child.kill("SIGINT")
    await ended
  })
  return { code: await ended, output }
}
