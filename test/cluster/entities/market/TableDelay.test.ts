/** Delay of a market's tables behind its committed rows. */
import { assert, it } from "@effect/vitest"
import * as TableDelay from "@venue/cluster/entities/market/TableDelay"

const scene = () => {
  const clock = { now: 0 }
  return { clock, delay: TableDelay.make(["trades", "candles"], () => clock.now) }
}

it("measures each group from the commit of the first row that it lacks", () => {
  const { clock, delay } = scene()
  delay.committed(1)
  clock.now = 100
  delay.written(["trades"], 1)
  assert.deepStrictEqual(delay.all(), [
    ["trades", 0],
    ["candles", 100]
  ])
})

it("under steady writes, returns the delay of the timed row and not the time since the tables were complete", () => {
  const { clock, delay } = scene()
  delay.committed(1)
  for (let seq = 2; seq <= 1_000; seq++) {
    clock.now += 10
    delay.committed(seq)
    delay.written(["trades", "candles"], seq - 1)
    assert.isAtMost(delay.all()[0]![1], 10)
  }
})

it("a group that is already past a committed row has no delay", () => {
  const { clock, delay } = scene()
  delay.written(["trades", "candles"], 5)
  delay.committed(4)
  clock.now = 50
  assert.deepStrictEqual(delay.all(), [
    ["trades", 0],
    ["candles", 0]
  ])
})
