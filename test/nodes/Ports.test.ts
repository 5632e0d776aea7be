import * as Ports from "./Ports.ts"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"

it("never returns the same port twice, neither to concurrent nor to later callers", async () => {
  const rounds = await Promise.all(Array.from({ length: 20 }, () => Ports.free(10)))
  const ports = [...rounds.flat(), ...(await Ports.free(10))]
  expect(new Set(ports).size).toBe(ports.length)
  const other = await Ports.block([0, 1, 100])
  expect(other.map((port) => port - other[0]!)).toEqual([0, 1, 100])
  expect(other.some((port) => ports.includes(port))).toBe(false)
})

it("another process receives none of the ports that this process has reserved", async () => {
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
