/** An operator activates a builder code: its owner earns by it, both interfaces say so, and the books balance (rule 12). */
import { BuilderCodes } from "@venue/storage/access/BuilderCodes"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { aapl, limit } from "../../venue/Story.ts"
import { layer, RestClient } from "../rest/RestClient.ts"

const builder_code = "c2a95d1e-7f30-4b8a-8f64-0d9e3b6c5a21"
it.layer(layer, { excludeTestServices: true })("builders", (it) => {
  it.effect("I18: of a fee of 10.20 at 6,000 and 3,000 bps the owner has 3.06, and the reserve fund 1.02", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { admin, get, signed } = yield* RestClient
      yield* venue.price(aapl, 204)
      const [owner, ann, ben] = [yield* venue.user("owner", 0), yield* venue.user("ann"), yield* venue.user("ben")]
      const codes = yield* BuilderCodes
      yield* codes.create({ builderCode: builder_code, userId: owner.userId, venueBps: 6_000, builderBps: 3_000 })
      const activated = yield* admin("POST", "/builder-codes/activate", { builder_code, reason: "agreed" })
      expect(activated.status).toBe(204)

      const seller = yield* venue.trade(ben)
      const buyer = yield* venue.trade(ann, ["fills"], { builderCode: builder_code })
      yield* seller.send(limit("SELL", 50, 204))
      yield* seller.take("order_response")
      yield* buyer.send(limit("BUY", 50, 204))
      const { fill_response } = yield* buyer.take("fill_response")
      expect(JSON.stringify(fill_response)).not.toMatch(/builder|reward/)
      yield* venue.settle

      const balanceOf = Effect.fnUntraced(function* (user: typeof owner) {
        return (yield* get("/user/positions", yield* signed(user))).body.balance
      })
      expect(yield* balanceOf(owner)).toMatchObject({ builder_rewards: 3.06, available_balance: 3.06, deposit: 0 })
      expect(yield* balanceOf(ann)).not.toHaveProperty("builder_rewards")
      expect(yield* balanceOf(ben)).not.toHaveProperty("builder_rewards")
      const { balanced, reserve_funds } = (yield* admin("GET", "/proof")).body
      expect(balanced).toBe(true)
      expect(reserve_funds).toContainEqual({ symbol: aapl, amount: 1.02, topped_up: 0 })
    })
  )
})
