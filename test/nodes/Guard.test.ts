/** The guard process after its parent was killed with SIGKILL. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"
import { until } from "./DevApp.ts"

const runs = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it("kills the children of a killed parent process, whether the children are running or frozen", async () => {
  const source = `
    import { spawn } from "node:child_process"
    import * as Guard from ${JSON.stringify(join(import.meta.dirname, "Guard.ts"))}
    const start = () => spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore", detached: true })
    const [running, frozen, released] = [start(), start(), start()]
    Guard.over(running.pid)
    Guard.over(frozen.pid, "SIGQUIT")
    Guard.over(released.pid)()
    frozen.kill("SIGSTOP")
    console.log([running.pid, frozen.pid, released.pid].join(" "))
    setInterval(() => {}, 1000)`
  const parent = spawn(process.execPath, ["--input-type=module-typescript", "--eval", source], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const line = await new Promise<string>((resolve) => parent.stdout.once("data", (data) => resolve(String(data))))
  const [running, frozen, released] = line.trim().split(" ").map(Number) as [number, number, number]
  try {
    expect([running, frozen, released].every(runs)).toBe(true)
    parent.kill("SIGKILL")
    await until("its children have ended", () => !runs(running) && !runs(frozen))
    expect(runs(released)).toBe(true)
  } finally {
    for (const pid of [running, frozen, released]) if (runs(pid)) process.kill(pid, "SIGKILL")
  }
})
