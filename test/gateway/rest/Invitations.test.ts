/** Tests of invitation codes, referrals and referral rewards over REST, around midnight. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { fewMarkets, limit } from "../../venue/Story.ts"
import { type Answer, ask, layer, RestClient } from "./RestClient.ts"

/** Friday, ten minutes before midnight. */
const evening = Date.UTC(2026, 10, 20, 23, 50)
const midnight = Date.UTC(2026, 10, 21)

const as = Effect.fnUntraced(function* (user: TestUser, method: string, path: string, body?: unknown) {
  const { signed } = yield* RestClient
  return yield* ask(method, path, yield* signed(user), body)
})
/** Redeems a code in the user's session. */
const redeem = Effect.fnUntraced(function* (user: TestUser, code: string, key?: string) {
  const token = yield* (yield* TestVenue).token(user)
  const headers = { authorization: `Bearer ${token}`, ...(key === undefined ? {} : { "idempotency-key": key }) }
  return yield* ask("POST", "/user/invitation-codes/redeem", headers, { code })
})
const problem = ({ body, status }: Answer) => [status, body.type.split("/").at(-1)]

const trade = Effect.fnUntraced(function* (buyer: TestUser, seller: TestUser, quantity: number) {
  const venue = yield* TestVenue
  const [sells, buys] = [yield* venue.trade(seller, []), yield* venue.trade(buyer, [])]
  yield* sells.send(limit("SELL", quantity, 200))
  yield* venue.settle
  yield* buys.send(limit("BUY", quantity, 200))
  yield* venue.settle
  // Waits for the projections.
  yield* TestClock.adjust("1 second")
  yield* venue.settle
}, Effect.scoped)

it.effect(
  "rule 13: issues five invitation codes after a volume of 100,000, and credits a tenth of referred users' fees",
  () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const rest = yield* RestClient
      const desks = yield* DeskClient
      yield* venue.price("AAPL-USD", 200)
      const [ann, ben] = [yield* venue.user("ann", 1_000_000), yield* venue.user("ben", 1_000_000)]
      const [cid, dot] = [yield* venue.user("cid"), yield* venue.user("dot")]

      yield* trade(ann, ben, 499.9)
      const before = yield* as(ann, "POST", "/user/invitation-codes/job", {})
      expect(before.body).toMatchObject({
        qualified: false,
        self_lifetime_notional_volume: 99_980,
        self_notional_volume: 99_980,
        required_lifetime_notional_volume: 100_000,
        codes_issued: 0,
        codes: []
      })
      yield* trade(ann, ben, 0.1)
      const jobs = yield* Effect.all(
        // The body is optional.
        [{}, undefined].map((body) => as(ann, "POST", "/user/invitation-codes/job", body)),
        { concurrency: "unbounded" }
      )
      const codes: ReadonlyArray<string> = jobs[0]!.body.codes.map(({ code }: { readonly code: string }) => code)
      expect(new Set(codes).size).toBe(5)
      expect(codes.every((code) => /^[0-9A-HJKMNP-TV-Z]{10}$/.test(code))).toBe(true)
      expect(jobs[1]!.body.codes).toEqual(jobs[0]!.body.codes)

      const [first, second] = [codes[0]!, codes[1]!]
      expect(problem(yield* redeem(cid, "0000000000"))).toEqual([404, "unknown-invitation-code"])
      expect((yield* redeem(cid, "not a code")).status).toBe(422)
      expect((yield* redeem(cid, "UUUUUUUUUU")).status).toBe(422)
      const redeemed = yield* redeem(cid, first.toLowerCase(), "once")
      expect([redeemed.status, redeemed.body.referrer_user_id]).toEqual([200, ann.userId])
      // The same request with characters that people often misread.
      const again = yield* redeem(cid, first.replaceAll("1", "l").replaceAll("0", "o"), "once")
      expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([redeemed.body, "true"])
      expect(problem(yield* redeem(cid, first))).toEqual([409, "already-referred"])
      expect(problem(yield* redeem(cid, second))).toEqual([409, "already-referred"])
      expect(problem(yield* redeem(dot, first))).toEqual([404, "unknown-invitation-code"])
      expect(problem(yield* redeem(ann, second))).toEqual([400, "own-invitation-code"])
      expect(problem(yield* redeem(ben, second))).toEqual([409, "has-traded"])
      // The refused users have not used up the code.
      expect((yield* redeem(dot, second)).status).toBe(200)

      // The taker pays 10 bps, which is 10.00. The maker's 2 bps earn no reward.
      yield* trade(cid, ben, 50)
      expect((yield* as(ann, "GET", "/user/referrals/notional-volume")).body).toMatchObject({
        self_lifetime_notional_volume: 100_000,
        self_notional_volume: 100_000,
        referred_notional_volume: 10_000,
        referred_users: 2,
        qualified: true
      })
      const { body: listed } = yield* as(ann, "GET", "/user/invitation-codes")
      expect([
        listed.count,
        listed.data[0].redeemed_by,
        listed.data[1].redeemed_by,
        listed.data[2].redeemed_by
      ]).toEqual([5, cid.userId, dot.userId, null])

      const rewards = Effect.map(as(ann, "GET", "/user/referral-rewards"), ({ body }) => body)
      yield* TestClock.setTime(midnight + 5 * 60_000 - 1)
      yield* venue.settle
      expect(yield* rewards).toMatchObject({ duration: "1w", interval: "1d", count: 0, data: [], total_amount: 0 })
      yield* TestClock.adjust("2 seconds")
      yield* venue.settle
      expect(yield* rewards).toMatchObject({
        start: "2026-11-14T00:00:00.000Z",
        end: "2026-11-21T00:00:00.000Z",
        data: [{ reward_date: "2026-11-20T00:00:00.000Z", amount: 1 }],
        count: 1,
        total_amount: 1
      })
      const { balance } = yield* desks.summary({
        userId: ann.userId,
        accountId: primaryAccountOf(ann.userId),
        cost: noCost
      })
      expect(balance.referralRewards).toBe(1_000_000n)
      const { body: proof } = yield* rest.admin("GET", "/proof")
      expect([proof.balanced, proof.assets]).toEqual([true, [{ asset: "USD", sum: 0 }]])

      expect((yield* as(cid, "GET", "/user/referral-rewards?duration=all")).body).not.toHaveProperty("start")
      expect((yield* as(ann, "GET", "/user/referral-rewards?duration=1h")).status).toBe(422)
    }).pipe(
      Effect.provide(layer),
      Effect.provideService(VenueSettings, fewMarkets),
      // Sets the clock before the venue starts.
      (story) => Effect.andThen(TestClock.setTime(evening), story)
    )
)
