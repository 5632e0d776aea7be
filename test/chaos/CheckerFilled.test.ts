import * as CheckerFilled from "./CheckerFilled.ts"
import { expect, it } from "vitest"

/** Returns the faults in these frames. A string is a fill, and a pair is a `FILLED` frame. */
const faults = (...frames: ReadonlyArray<string | readonly [tradeId: string, left: number]>) => {
  const judge = CheckerFilled.judge()
  return frames.flatMap((frame) => {
    if (typeof frame === "string") return judge.fill(frame) ?? []
    return judge.filled({ trade_id: frame[0], quantity_remaining: frame[1] }) ?? []
  })
}

it("accepts several trades from one command, and trades from a later command that leave a smaller quantity", () => {
  expect(faults("a", "b", ["a", 5], ["b", 5], "c", ["c", 2], "d", "e", ["d", 0], ["e", 0])).toEqual([])
  expect(faults(["a", 5], ["b", 5], ["c", 0], ["d", 0])).toEqual([])
})

it("rejects a repeated trade, a trade out of order, and a `FILLED` frame without a trade", () => {
  expect(faults(["a", 0], ["b", 0], ["a", 0])).toEqual(["FILLED a twice"])
  expect(faults("a", "b", ["b", 0])).toEqual(["FILLED b in place of a"])
  expect(faults(["", 5])).toEqual(["FILLED without a trade_id"])
})

it("rejects a remaining quantity that grows, or that does not shrink with the next command", () => {
  expect(faults(["a", 2], ["b", 5])).toEqual(["FILLED b with 5 left after 2"])
  expect(faults("a", "b", ["a", 5], ["b", 2])).toEqual(["FILLED b with 2 left in an outcome that left 5"])
  expect(faults("a", ["a", 5], "b", ["b", 5])).toEqual(["FILLED b with 5 left as the outcome before"])
})
