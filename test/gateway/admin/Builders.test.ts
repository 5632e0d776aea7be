/**
 * Tests of builder codes over real sockets: creation, review, attribution, rewards in REST and on the socket, and the
 * books (rule 12).
 */
import { BuilderCodes } from "@venue/storage/access/BuilderCodes"
import * as RestServer from "@venue/gateway/rest/RestServer"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { aapl, limit } from "../../venue/Story.ts"
import { callsTo, layer, RestClient, sockets } from "../rest/RestClient.ts"

const builder_code = "c2a95d1e-7f30-4b8a-8f64-0d9e3b6c5a21"
it.layer(layer, { excludeTestServices: true })("builders", (it) => {
  it.effect(
    "I18: at shares of 60 % and 30 %, a fee of 10.20 gives the builder 3.06 and the reserve fund the remaining 1.02",
    () =>
      Effect.gen(function* () {
        const venue = yield* TestVenue
        const { admin, get, signed } = yield* RestClient
        yield* venue.price(aapl, 204)
        const [owner, ann, ben] = [yield* venue.user("owner", 0), yield* venue.user("ann"), yield* venue.user("ben")]
        const codes = yield* BuilderCodes
        yield* codes.create({
          builderCode: builder_code,
          userId: owner.userId,
          venueBps: 6_000,
          builderBps: 3_000,
          active: false
        })
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

  it.effect("shows builder_rewards of 0 over REST and on the socket as soon as a builder code is created", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { get, post, signed } = yield* RestClient
      yield* venue.price(aapl, 204)
      const [owner, ann, ben] = [
        yield* venue.user("owner 2", 0),
        yield* venue.user("ann 2"),
        yield* venue.user("ben 2")
      ]
      const balance = Effect.gen(function* () {
        return (yield* get("/user/positions", yield* signed(owner))).body.balance
      })
      const pulses = yield* venue.trade(owner, ["balances"])
      const pulse = Effect.gen(function* () {
        yield* pulses.drain
        return (yield* pulses.take("balance_response")).balance_response!
      })
      expect(yield* balance).not.toHaveProperty("builder_rewards")
      const shares = { svc_fee_share_bps: 6_000, builder_fee_share_bps: 3_000 }
      const created = yield* post("/user/builder-code", shares, yield* signed(owner))
      expect([created.status, created.body.is_active]).toEqual([201, true])
      expect((yield* balance).builder_rewards).toBe(0)
      expect((yield* pulse).builder_rewards).toBe(0)

      const seller = yield* venue.trade(ben)
      const buyer = yield* venue.trade(ann, ["fills"], { builderCode: created.body.builder_code })
      yield* seller.send(limit("SELL", 50, 204))
      yield* seller.take("order_response")
      yield* buyer.send(limit("BUY", 50, 204))
      yield* buyer.take("fill_response")
      yield* venue.settle
      expect((yield* balance).builder_rewards).toBe(3.06)
      expect((yield* pulse).builder_rewards).toBe(3.06)
      expect((yield* get("/user/builder-code", yield* signed(owner))).body.is_active).toBe(true)
    })
  )

  it.effect(
    "keeps a builder code inactive, and shows its owner no builder_rewards, until an operator activates the code",
    () =>
      Effect.gen(function* () {
        const venue = yield* TestVenue
        const { admin, signed } = yield* RestClient
        const reviewed = { host: "127.0.0.1", port: 0, brand: "svc", sockets, areBuilderCodesReviewed: true }
        const { get, post } = callsTo((yield* RestServer.open(reviewed)).url)
        const owner = yield* venue.user("owner 3", 0)
        const balance = Effect.gen(function* () {
          return (yield* get("/user/positions", yield* signed(owner))).body.balance
        })
        const shares = { svc_fee_share_bps: 6_000, builder_fee_share_bps: 3_000 }
        const created = yield* post("/user/builder-code", shares, yield* signed(owner))
        expect([created.status, created.body.is_active]).toEqual([201, false])
        expect((yield* get("/user/builder-code", yield* signed(owner))).body.is_active).toBe(false)
        expect(yield* balance).not.toHaveProperty("builder_rewards")
        const { builder_code } = created.body
        yield* admin("POST", "/builder-codes/activate", { builder_code, reason: "agreed" })
        expect((yield* get("/user/builder-code", yield* signed(owner))).body.is_active).toBe(true)
        expect((yield* balance).builder_rewards).toBe(0)
      }).pipe(Effect.scoped)
  )
})
