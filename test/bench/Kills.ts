/** Kills the venue repeatedly under load and audits all acknowledgements, with the kill test in `test/nodes`. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Guard from "../nodes/Guard.ts"
import type { Options } from "./Options.ts"
import { type Row, round } from "./Report.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

export const kills = async ({ kills }: Options): Promise<ReadonlyArray<Row>> => {
  const child = spawn(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "test/nodes/Kill.test.ts", "--reporter=verbose"],
    { cwd: root, env: { ...process.env, VENUE_KILLS: String(kills), NO_COLOR: "1" }, stdio: ["ignore", "pipe", "pipe"] }
  )
  const kill = (): void => void child.kill("SIGINT")
  process.once("exit", kill)
  child.once("exit", Guard.over(child.pid!, "SIGTERM"))
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (output += data.toString()))
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve))
  process.removeListener("exit", kill)
  const passed = code === 0 && /Tests\s+1 passed/.test(output)
  return [
    {
      name: `kill -9 under load, ${kills} times`,
      unit: "1 when anything acknowledged was missing or doubled",
      anchor: "nothing lost, nothing doubled",
      rounds: [{ ...round(passed ? 0 : 1, 1) }],
      goal: { better: "lower", solid: 0, aim: 0 },
      notes: passed ? [] : output.trimEnd().split("\n").slice(-25)
    }
  ]
}
