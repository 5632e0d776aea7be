/** The frame check detects every frame and command that violates its description. */
import * as Client from "@venue/testing/Client"
import type * as Observers from "@venue/testing/Observers"
import { documents, commandFault, faultOf, frameFault } from "./SocketFrames.ts"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { faults } from "./HeldFrames.ts"

const example = (socket: Observers.Socket, name: string) =>
  documents[socket].components.messages[name]!.examples[0].payload as Record<string, Record<string, unknown>>

it("detects a wrong type, an additional member, a missing member and an unknown value in a frame", () => {
  const { order_response: order } = example("trade", "order_response")
  const { quantity: _, ...short } = order!
  for (const [wrong, fault] of [
    [{ ...order, price: "3411.2" }, "/price must be number"],
    [{ ...order, colour: "green" }, "must NOT have additional properties"],
    [short, "must have required property 'quantity'"],
    [{ ...order, status: "DONE" }, "/status must be equal to one of the allowed values"],
    [{ ...order, user_id: "alice" }, '/user_id must match format "uuid"']
  ] as const) {
    expect(frameFault("trade", JSON.stringify({ order_response: wrong }))).toContain(fault)
  }
  expect(frameFault("trade", JSON.stringify({ order_response: order }))).toBeUndefined()
  expect(frameFault("trade", JSON.stringify({ order_response: order, err: null }))).toContain("additional properties")
  const text = { ...example("market_data", "mark_price"), price: "3e3" }
  expect(frameFault("market_data", JSON.stringify(text))).toContain("/price must match pattern")
})

it("detects a frame kind that is missing from its socket's description", () => {
  expect(frameFault("trade", '{"position":{}}')).toContain("nothing is described as position")
  expect(frameFault("trade", JSON.stringify(example("market_data", "bbo")))).toContain("nothing is described as")
  expect(frameFault("market_data", JSON.stringify(example("trade", "ack")))).toContain("nothing is described as ack")
})

it("detects an accepted command that has no description, and ignores refused commands", () => {
  const { params, type } = example("trade", "cancel_all_orders")
  expect(commandFault("trade", JSON.stringify({ type, params }))).toBeUndefined()
  expect(faultOf("trade", "cancel_all_orders", { type, params: { symbool: "GOLD-USD" } })).toContain("additional")
  expect(commandFault("trade", JSON.stringify({ type, params: { symbool: "GOLD-USD" } }))).toBeUndefined()
  expect(commandFault("trade", JSON.stringify({ type, params: { symbol: 1 } }))).toBeUndefined()
  expect(commandFault("market_data", '{"type":"subscribe","channels":["bbo"],"symbols":["*"],"sig_figs":0}')).toContain(
    "/sig_figs must be array"
  )
  expect(faultOf("trade", "shout", {})).toContain("nothing is described as shout")
})

it.effect("fails a test whose client sends or receives an invalid frame", () =>
  Effect.gen(function* () {
    for (const [open, frame] of [
      [Client.open, '{"order_response":{}}'],
      [Client.openMarketData, '{"type":"bbo"}']
    ] as const) {
      const client = yield* open((transport) => ({ text: () => transport.send(frame), closed: () => {} }))
      // Only the market-data socket's `level2` reads `sig_figs`.
      yield* client.send({ type: "unsubscribe", channels: ["funding"], symbols: ["*"], sig_figs: 7 })
    }
    expect(yield* Effect.promise(() => faults())).toEqual([
      expect.stringContaining("trade: order_response/order_response must have required property"),
      expect.stringContaining("market_data: unsubscribe/sig_figs must be array"),
      expect.stringContaining("market_data: bbo must have required property")
    ])
  })
)
