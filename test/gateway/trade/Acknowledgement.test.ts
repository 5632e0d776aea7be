import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Acknowledgement from "@venue/gateway/trade/Acknowledgement"
import { expect, it } from "vitest"

/** Pending cancel of all orders, with the frames that it sends. */
const waiting = () => {
  const sent: Array<string> = []
  const acknowledgements = Acknowledgement.make((frame) => void sent.push(frame.includes('"ack"') ? "ack" : frame))
  Acknowledgement.expect(acknowledgements, "cancel", {
    incoming: '{"type":"cancel_all_orders"}',
    dueMillis: 5_000,
    done: () => void sent.push("done"),
    isOfStop: false
  })
  const unknown = (incoming: string | undefined) => void sent.push(`unknown ${incoming}`)
  return {
    acknowledgements,
    sent,
    takeTurn: () => Acknowledgement.takeTurn(acknowledgements, "cancel"),
    forwarded: (...symbols: ReadonlyArray<string>) =>
      Acknowledgement.forwarded(
        acknowledgements,
        "cancel",
        symbols.map((symbol) => MarketSymbol.make(symbol))
      ),
    committed: (symbol: string) => Acknowledgement.committed(acknowledgements, "cancel", MarketSymbol.make(symbol)),
    refuse: (error: string) => Acknowledgement.refuse(acknowledgements, "cancel", error),
    giveUp: (nowMillis: number) => Acknowledgement.giveUp(acknowledgements, nowMillis, unknown)
  }
}

/** Pending cancel of all orders after every earlier request has its response. */
const next = () => {
  const scene = waiting()
  scene.takeTurn()
  return scene
}

it("holds a complete acknowledgement back until the command's turn, even past the due time", () => {
  const { committed, forwarded, giveUp, sent, takeTurn } = waiting()
  forwarded("A")
  committed("A")
  giveUp(5_000)
  expect(sent).toEqual([])
  takeTurn()
  expect(sent).toEqual(["ack", "done"])
  takeTurn()
  expect(sent).toEqual(["ack", "done"])
})

it("acknowledges a cancel of all orders once every affected market has committed", () => {
  const { acknowledgements, committed, forwarded, sent } = next()
  forwarded("A", "B")
  committed("A")
  committed("A")
  expect(sent).toEqual([])
  expect(acknowledgements.pending.size).toBe(1)
  committed("B")
  expect(sent).toEqual(["ack", "done"])
  expect(acknowledgements.pending.size).toBe(0)
})

it("acknowledges a cancel of all orders even if markets committed before the desk listed the affected markets", () => {
  const { committed, forwarded, sent } = next()
  committed("A")
  expect(sent).toEqual([])
  forwarded("A")
  expect(sent).toEqual(["ack", "done"])
})

it("immediately acknowledges a cancel of all orders that affects no market", () => {
  const { forwarded, sent } = next()
  forwarded()
  expect(sent).toEqual(["ack", "done"])
})

it("a command's acknowledgement ignores the events of other commands", () => {
  const { acknowledgements, sent } = next()
  Acknowledgement.committed(acknowledgements, "another", MarketSymbol.make("A"))
  Acknowledgement.forwarded(acknowledgements, "another", [])
  expect(sent).toEqual([])
})

it("a refusal completes the command", () => {
  const { acknowledgements, committed, refuse, sent } = next()
  refuse("refused")
  committed("A")
  expect(sent).toEqual(["refused", "done"])
  expect(acknowledgements.pending.size).toBe(0)
})

it("sends a refusal at the command's turn, or immediately if the command has already ended", () => {
  const { refuse, sent, takeTurn } = waiting()
  refuse("refused")
  expect(sent).toEqual([])
  takeTurn()
  expect(sent).toEqual(["refused", "done"])
  refuse("late")
  expect(sent).toEqual(["refused", "done", "late"])
})

it("reports an incomplete command as unknown at its due time", () => {
  const { acknowledgements, committed, giveUp, sent } = next()
  giveUp(4_999)
  expect(sent).toEqual([])
  giveUp(5_000)
  committed("A")
  expect(sent).toEqual(['unknown {"type":"cancel_all_orders"}', "done"])
  expect(acknowledgements.pending.size).toBe(0)
})
