import * as Sweep from "@venue/gateway/trade/Sweep"
import { expect, it } from "vitest"

const waiting = () => {
  const sweeps = Sweep.make()
  const sent: Array<string> = []
  const send = (text: string) => void sent.push(text.includes('"ack"') ? "ack" : text)
  const done = () => void sent.push("done")
  Sweep.begin(sweeps, "one", { incoming: '{"type":"cancel_all_orders"}', dueMillis: 5_000, done })
  const tell = (symbol: string, frame: string, last: boolean) => Sweep.tell(sweeps, "one", symbol, frame, last, send)
  return { send, sent, sweeps, tell }
}

const begun = () => {
  const waited = waiting()
  Sweep.turn(waited.sweeps, "one", waited.send)
  return waited
}

it("a sweep whose turn has not come is not said, however complete it is, and not given up", () => {
  const { send, sent, sweeps, tell } = waiting()
  Sweep.touched(sweeps, "one", ["A"], send)
  tell("A", "a1", false)
  tell("A", "", true)
  Sweep.giveUp(sweeps, 5_000, () => send("unknown"), send)
  expect(sent).toEqual([])
  Sweep.turn(sweeps, "one", send)
  expect(sent).toEqual(["ack", "a1", "done"])
  Sweep.turn(sweeps, "one", send)
  expect(sent).toEqual(["ack", "a1", "done"])
})

it("a sweep is acknowledged once every market it touched has answered, and told order by order after that", () => {
  const { send, sent, sweeps, tell } = begun()
  Sweep.touched(sweeps, "one", ["A", "B"], send)
  tell("A", "a1", false)
  tell("B", "b1", false)
  tell("A", "", true)
  tell("B", "b2", false)
  expect(sent).toEqual([])
  expect(sweeps.size).toBe(1)
  tell("B", "", true)
  expect(sent).toEqual(["ack", "a1", "b1", "b2", "done"])
  expect(sweeps.size).toBe(0)
})

it("markets that answer before the desk has said which they are count as well", () => {
  const { send, sent, sweeps, tell } = begun()
  tell("A", "a1", false)
  tell("A", "", true)
  expect(sent).toEqual([])
  Sweep.touched(sweeps, "one", ["A"], send)
  expect(sent).toEqual(["ack", "a1", "done"])
})

it("a sweep that touches no market is acknowledged at once", () => {
  const { send, sent, sweeps } = begun()
  Sweep.touched(sweeps, "one", [], send)
  expect(sent).toEqual(["ack", "done"])
})

it("what is told of another command belongs to no sweep", () => {
  const { send, sent, sweeps } = begun()
  expect(Sweep.tell(sweeps, "two", "A", "x", true, send)).toBe(false)
  expect(Sweep.tell(sweeps, "", "A", "x", true, send)).toBe(false)
  Sweep.touched(sweeps, "two", [], send)
  expect(sent).toEqual([])
})

it("one that is refused is owed no longer, and what was told of it is sent", () => {
  const { send, sent, sweeps, tell } = begun()
  tell("A", "a1", false)
  Sweep.refuse(sweeps, "one", "refused", send)
  expect(sent).toEqual(["refused", "a1", "done"])
  expect(tell("A", "", true)).toBe(false)
})

it("a refusal waits for its turn too, and one of a sweep that was given up is said", () => {
  const { send, sent, sweeps } = waiting()
  Sweep.refuse(sweeps, "one", "refused", send)
  expect(sent).toEqual([])
  Sweep.turn(sweeps, "one", send)
  expect(sent).toEqual(["refused", "done"])
  Sweep.refuse(sweeps, "one", "late", send)
  expect(sent).toEqual(["refused", "done", "late"])
})

it("one that is overdue is given up with what was told of it; one that is not is waited for", () => {
  const { send, sent, sweeps, tell } = begun()
  tell("A", "a1", false)
  const unknown = (incoming: string | undefined) => send(`unknown ${incoming}`)
  Sweep.giveUp(sweeps, 4_999, unknown, send)
  expect(sent).toEqual([])
  Sweep.giveUp(sweeps, 5_000, unknown, send)
  expect(sent).toEqual(['unknown {"type":"cancel_all_orders"}', "a1", "done"])
  expect(tell("A", "", true)).toBe(false)
})
