/** Tests of how an operator appoints and dismisses liquidity providers (rule 9.11). */
import { Audit } from "@venue/storage/access/Audit"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { layer, RestClient } from "../rest/RestClient.ts"

const listed = Effect.gen(function* () {
  const { admin } = yield* RestClient
  const { body } = yield* admin("GET", "/liquidity-providers")
  expect(body.count).toBe(body.data.length)
  return body.data as ReadonlyArray<{ readonly account_id: string; readonly symbol: string; readonly limit: number }>
})

it.layer(layer, { excludeTestServices: true })("liquidity providers", (it) => {
  it.effect("appoints a provider in the given markets or in all markets, until the provider's limit is set to 0", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { admin } = yield* RestClient
      const { userId } = yield* venue.user("provider")
      const appointment = {
        account_id: userId.toUpperCase(),
        symbols: ["*"],
        limit: "250000.50",
        reason: "agreed today"
      }
      expect(yield* listed).toEqual([])

      const { body, status } = yield* admin("POST", "/liquidity-providers", appointment)
      expect([status, body.account_id, body.limit, body.symbols.length]).toEqual([200, userId, 250_000.5, 14])
      yield* admin("POST", "/liquidity-providers", { ...appointment, symbols: ["gold-usd", "GOLD-USD"], limit: 0 })
      yield* admin("POST", "/liquidity-providers", { ...appointment, symbols: ["AAPL-USD"], limit: 9 })
      const limits = yield* listed
      expect(limits).toHaveLength(13)
      expect(limits).toContainEqual({ user_id: userId, account_id: userId, symbol: "AAPL-USD", limit: 9 })
      expect(limits).toContainEqual({ user_id: userId, account_id: userId, symbol: "EUR-USD", limit: 250_000.5 })

      yield* admin("POST", "/liquidity-providers", { ...appointment, limit: 0 })
      expect(yield* listed).toEqual([])
      const entries = yield* (yield* Audit).about(userId)
      expect(entries.filter(({ action }) => action === "provider_limit_asked").at(-1)).toMatchObject({
        actor: "operator",
        facts: { accountId: userId, symbols: "*", limit: 250_000.5, reason: "agreed today" }
      })
    })
  )

  it.effect("refuses an invalid appointment of a provider and changes no appointment", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { admin } = yield* RestClient
      const { userId } = yield* venue.user("other")
      const good = { account_id: userId, symbols: ["AAPL-USD"], limit: 1, reason: "agreed today" }
      for (const [body, status] of [
        [{ ...good, account_id: "5b1f0a52-7c2e-4f0e-9a51-0d2f6c9be001" }, 404],
        [{ ...good, account_id: "other" }, 422],
        [{ ...good, symbols: ["AAPL-USD", "NOPE-USD"] }, 404],
        [{ ...good, symbols: ["*", "AAPL-USD"] }, 404],
        [{ ...good, symbols: [] }, 422],
        [{ ...good, limit: -1 }, 422],
        [{ ...good, limit: 0.0000001 }, 422],
        [{ ...good, limit: 1_000_000_001 }, 422],
        [{ ...good, reason: "" }, 422]
      ] as const) {
        expect([body, (yield* admin("POST", "/liquidity-providers", body)).status]).toEqual([body, status])
      }
      expect(yield* listed).toEqual([])
      expect((yield* (yield* Audit).about(userId)).map(({ action }) => action)).not.toContain("provider_limit_asked")
    })
  )
})
