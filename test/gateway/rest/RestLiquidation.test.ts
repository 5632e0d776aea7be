/** Tests of a liquidated position in REST (rule 9.4, rule 9.15). */
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { aapl, limit } from "../../venue/Story.ts"
import { layer, RestClient } from "./RestClient.ts"

it.layer(layer, { excludeTestServices: true })("liquidation", (it) => {
  it.effect("marks one side of a liquidation fill on the order book, and both sides of a fill off the book", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { admin, get, signed } = yield* RestClient
      yield* venue.price(aapl, 200)
      const [ann, ben] = [yield* venue.user("ann", 1_110), yield* venue.user("ben")]
      const [long, short] = [yield* venue.trade(ann), yield* venue.trade(ben)]
      yield* short.send(limit("SELL", 50, 200))
      yield* short.take("order_response")
      yield* long.send(limit("BUY", 50, 200))
      yield* long.take("fill_response")
      yield* short.send(limit("BUY", 10, 189))
      yield* short.take("fill_response")
      yield* venue.price(aapl, 190)
      yield* long.take("fill_response")
      yield* venue.price(aapl, 170)
      yield* long.take("fill_response")
      yield* venue.settle

      const executionsOf = Effect.fnUntraced(function* (user: typeof ann) {
        const { body } = yield* get("/user/trade", yield* signed(user))
        return body.data.map((row: Record<string, unknown>) => [
          row["liquidation"],
          row["order_origin"],
          row["execution_type"]
        ])
      })
      const opening = ["NONE", "USER", "NEW"]
      const off = ["ADL", "LIQUIDATION", "ADL"]
      const on = ["ORDERBOOK", "LIQUIDATION", "LIQUIDATION"]
      expect(yield* executionsOf(ann)).toEqual([off, on, opening])
      expect(yield* executionsOf(ben)).toEqual([["ADL", "ADL", "ADL"], opening, opening])
      const { body } = yield* get("/user/positions", yield* signed(ann))
      expect([body.positions[0].position, body.balance.available_balance]).toEqual([0, 0])
      expect((yield* admin("GET", "/proof")).body.balanced).toBe(true)
    })
  )
})
