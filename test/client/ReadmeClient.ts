/** The client example of README.md; `Readme.test.ts` runs it and compares the texts. */
import * as Credentials from "@venue/client/Credentials"
import * as TradeClient from "@venue/client/TradeClient"
import { Effect, Queue } from "effect"

const order = { symbol: "AAPL-USD", side: "BUY", order_type: "LIMIT", order_time_in_force: "GTC" } as const

/** Buys one unit at 199.50 or below. Returns the first answer: ACK, or a refusal. */
export const buy = Effect.fn("buy")(function* (url: string, key: Credentials.ApiKey) {
  const credentials = yield* Credentials.ofApiKey(key)
  const client = yield* TradeClient.make({ url, credentials, channels: ["order_responses", "fills"] })
  yield* Queue.take(client.events) // Connected, or the reason for the failure
  return yield* client.place({ ...order, quantity: 1, price: 199.5, client_order_id: "my-first" })
})
