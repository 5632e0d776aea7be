import { expect, it } from "@effect/vitest"
import { TradeGateway } from "@venue/gateway/trade/TradeGateway"
import { observed } from "@venue/testing/Observers"
import { layerMemory, TestVenue } from "@venue/testing/TestVenue"
import { Effect, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { buy } from "./ReadmeClient.ts"
import { listen } from "./Listening.ts"

it.effect("acknowledges my bot's order", () =>
  Effect.gen(function* () {
    const venue = yield* TestVenue
    yield* venue.price("AAPL-USD", 200)
    const bot = yield* venue.trade(yield* venue.user("bot", 10_000))
    const order = { symbol: "AAPL-USD", side: "BUY", order_type: "LIMIT", order_time_in_force: "GTC" }
    yield* bot.send({ type: "add_order", params: { ...order, quantity: 1, price: 199.5 } })
    const { order_response: answer } = yield* bot.take("order_response")
    expect(answer).toMatchObject({ status: "ACK", quantity_remaining: 1 })
  }).pipe(Effect.provide(layerMemory))
)

it.effect("runs the README's client example, which receives an ACK", () =>
  Effect.gen(function* () {
    const venue = yield* TestVenue
    const gateway = yield* TradeGateway
    yield* venue.price("AAPL-USD", 200)
    const { publicKey, secretKey } = yield* venue.user("alice")
    const url = yield* listen(observed("trade", (transport) => gateway.open(transport, "")))
    expect(yield* buy(url, { publicKey, secretKey: Redacted.make(secretKey) })).toMatchObject({ status: "ACK" })
  }).pipe(Effect.provide(layerMemory), Effect.provide(SecureRandom.layerWebCrypto))
)

it("the code of every README example runs in these tests", () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, path), "utf8")
  const run = read("ReadmeClient.ts") + read("Readme.test.ts")
  const examples = [...read("../../README.md").matchAll(/^```ts\n([^]*?)^```/gm)].map(([, code = ""]) => code)
  expect(examples).toHaveLength(2)
  expect(examples.filter((code) => !run.includes(code))).toEqual([])
})
