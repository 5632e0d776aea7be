import * as Sweep from "@venue/gateway/trade/Sweep"
import { expect, it } from "vitest"

const begun = () => {
  const sweeps = Sweep.make()
  const sent: Array<string> = []
  const send = (text: string) => void sent.push(text.includes('"ack"') ? "ack" : text)
  Sweep.begin(sweeps, "one", '{"type":"cancel_all_orders"}', 5_000)
  const tell = (symbol: string, frame: string, last: boolean) => Sweep.tell(sweeps, "one", symbol, frame, last, send)
  return { send, sent, sweeps, tell }
}

it("a sweep is acknowledged once every market it touched has answered, and told order by order after that", () => {
  const { send, sent, sweeps, tell } = begun()
  Sweep.touched(sweeps, "one", ["A", "B"], send)
  tell("A", "a1", false)
  tell("B", "b1", false)
  tell("A", "", true)
  tell("B", "b2", false)
  expect(sent).toEqual([])
  expect(Sweep.owed(sweeps)).toBeGreaterThan(0)
  tell("B", "", true)
  expect(sent).toEqual(["ack", "a1", "b1", "b2"])
  expect(Sweep.owed(sweeps)).toBe(0)
})

it("markets that answer before the desk has said which they are count as well", () => {
  const { send, sent, sweeps, tell } = begun()
  tell("A", "a1", false)
  tell("A", "", true)
  expect(sent).toEqual([])
  Sweep.touched(sweeps, "one", ["A"], send)
  expect(sent).toEqual(["ack", "a1"])
})

it("a sweep that touches no market is acknowledged at once", () => {
  const { send, sent, sweeps } = begun()
  Sweep.touched(sweeps, "one", [], send)
  expect(sent).toEqual(["ack"])
})

it("what is told of another command belongs to no sweep", () => {
  const { send, sent, sweeps } = begun()
  expect(Sweep.tell(sweeps, "two", "A", "x", true, send)).toBe(false)
  expect(Sweep.tell(sweeps, "", "A", "x", true, send)).toBe(false)
  Sweep.touched(sweeps, "two", [], send)
  expect(sent).toEqual([])
})

it("one that is answered otherwise is owed no longer, and what was told of it is sent", () => {
  const { send, sent, sweeps, tell } = begun()
  tell("A", "a1", false)
  Sweep.forget(sweeps, "one", send)
  expect(sent).toEqual(["a1"])
  expect(tell("A", "", true)).toBe(false)
  Sweep.forget(sweeps, "one", send)
  expect(sent).toEqual(["a1"])
})

it("one that is overdue is given up with what was told of it; one that is not is waited for", () => {
  const { send, sent, sweeps, tell } = begun()
  tell("A", "a1", false)
  const unknown = (incoming: string | undefined) => send(`unknown ${incoming}`)
  Sweep.giveUp(sweeps, 4_999, unknown, send)
  expect(sent).toEqual([])
  Sweep.giveUp(sweeps, 5_000, unknown, send)
  expect(sent).toEqual(['unknown {"type":"cancel_all_orders"}', "a1"])
  expect(tell("A", "", true)).toBe(false)
})
