import * as Ports from "./Ports.ts"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"

it("returns different ports for concurrent and for later reservations", async () => {
  const rounds = await Promise.all(Array.from({ length: 20 }, () => Ports.free(10)))
  const ports = [...rounds.flat(), ...(await Ports.free(10))]
  expect(new Set(ports).size).toBe(ports.length)
  const other = await Ports.block([0, 1, 100])
  expect(other.map((port) => port - other[0]!)).toEqual([0, 1, 100])
  expect(other.some((port) => ports.includes(port))).toBe(false)
})

it("gives another process none of the reserved ports, and frees the ports of a process that has exited", async () => {
  const ours = new Set(await Ports.free(50))
  const source = `import * as Ports from ${JSON.stringify(join(import.meta.dirname, "Ports.ts"))}
    console.log(JSON.stringify(await Ports.free(500)))`
  const { stdout } = spawnSync(process.execPath, ["--input-type=module-typescript", "--eval", source], {
    encoding: "utf8"
  })
  const theirs: ReadonlyArray<number> = JSON.parse(stdout)
  expect(theirs).toHaveLength(500)
  expect(theirs.filter((port) => ours.has(port))).toEqual([])
})
