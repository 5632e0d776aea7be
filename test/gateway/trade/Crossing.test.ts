import * as Crossing from "@venue/gateway/trade/Crossing"
import * as Lane from "@venue/gateway/trade/Lane"
import { expect, it } from "vitest"

const scene = () => {
  const crossings = Crossing.make()
  const told: Array<string> = []
  const send = (text: string) => void told.push(text)
  const enter = (id: string, lanes: ReadonlyArray<Lane.Lane>, isOfAll = true) =>
    Crossing.enter(crossings, id, lanes, isOfAll, () => send(`${id} starts`))
  return { crossings, enter, send, told }
}

it("it starts once nothing is before it in any of its lanes, and what came after it waits until it leaves", () => {
  const { crossings, enter, send, told } = scene()
  const tally = { owed: 0 }
  const [a, b] = [Lane.make(tally), Lane.make(tally)]
  Lane.expect(a, "a1", "", 5_000)
  Lane.expect(b, "b1", "", 5_000)
  enter("all", [a, b])
  Lane.expect(a, "a2", "", 5_000)
  Lane.tell(a, "a1", "a1 told", true, send)
  Lane.tell(a, "a2", "a2 told", true, send)
  expect(told).toEqual(["a1 told"])
  Lane.tell(b, "b1", "b1 told", true, send)
  expect(told).toEqual(["a1 told", "b1 told", "all starts"])
  Crossing.leave(crossings, "all", send)
  expect(told).toEqual(["a1 told", "b1 told", "all starts", "a2 told"])
  expect(tally.owed).toBe(0)
})

it("it starts at once where nothing is before it, and once only", () => {
  const { crossings, enter, send, told } = scene()
  enter("nothing", [])
  expect(told).toEqual(["nothing starts"])
  const late = Lane.make({ owed: 0 })
  Crossing.extend(crossings, late)
  Lane.expect(late, "after", "", 5_000)
  Lane.tell(late, "after", "after told", true, send)
  expect(told).toEqual(["nothing starts"])
  Crossing.leave(crossings, "nothing", send)
  expect(told).toEqual(["nothing starts", "after told"])
})

it("a new lane is crossed by what is of all symbols, in the order in which it came", () => {
  const { crossings, enter, send, told } = scene()
  const old = Lane.make({ owed: 0 })
  Lane.expect(old, "first", "", 5_000)
  enter("one", [old])
  enter("two", [old])
  enter("of the old", [old], false)
  const late = Lane.make({ owed: 0 })
  Crossing.extend(crossings, late)
  expect(late.entries.map(({ commandId }) => commandId)).toEqual(["one", "two"])
  Lane.tell(old, "first", "", true, send)
  Crossing.leave(crossings, "one", send)
  Crossing.leave(crossings, "two", send)
  expect(told).toEqual(["one starts", "two starts", "of the old starts"])
})

it("one that leaves before its turn is waited for no longer, and who has left may leave again", () => {
  const { crossings, enter, send, told } = scene()
  const lane = Lane.make({ owed: 0 })
  Lane.expect(lane, "first", "", 5_000)
  enter("all", [lane])
  Lane.expect(lane, "last", "", 5_000)
  Crossing.leave(crossings, "all", send)
  Crossing.leave(crossings, "all", send)
  Lane.tell(lane, "last", "last told", true, send)
  Lane.tell(lane, "first", "first told", true, send)
  expect(told).toEqual(["first told", "last told"])
})
