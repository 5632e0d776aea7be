/**
 * Tests of a halt of the whole venue, and of the commands with which an operator resumes trading step by step (I53).
 */
import { Audit } from "@venue/storage/access/Audit"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { layer, RestClient } from "../rest/RestClient.ts"
import { gold, goldOrder } from "./GoldOrder.ts"

const order = goldOrder()
const clean = { fault: null, difference: null }

const change = Effect.fnUntraced(function* (to: string) {
  const { admin } = yield* RestClient
  return yield* admin("POST", "/venue-mode", { to, reason: "a drill" })
})

it.layer(layer, { excludeTestServices: true })("venue mode", (it) => {
  it.effect("I52, I53: during a halt accepts only cancels, and afterwards resumes trading step by step", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const modes = yield* VenueModes
      const { admin } = yield* RestClient
      yield* venue.price(gold, 3_400)
      const alice = yield* venue.user("alice")
      const other = yield* venue.subaccount(alice)
      const socket = yield* venue.trade(alice, ["order_responses"])
      yield* socket.send(order)
      yield* socket.take("order_response")

      expect((yield* change("HALTED")).body).toMatchObject({
        trading: "HALTED",
        withdrawals: "BLOCKED",
        changed_by: "operator",
        reason: "a drill"
      })
      yield* socket.send(order)
      const { err } = yield* socket.take("err")
      expect(err.error_code).toBe("VenueHalted")
      expect(err.message).toContain("the venue is halted and accepts only cancellations")
      expect(err.message).not.toContain("a drill")
      const publicReason = "Maintenance until 14:00 UTC."
      const shown = yield* admin("POST", "/venue-mode", {
        to: "HALTED",
        reason: "again",
        public_reason: publicReason
      })
      expect(shown.body).toMatchObject({ reason: "a drill", public_reason: publicReason })
      const close = { type: "close_position", params: { symbol: gold } }
      const twap = { symbol: gold, side: "BUY", total_quantity: 1, num_orders: 2, order_interval_secs: 30 }
      const others = [
        close,
        { type: "preview_order", params: order.params },
        { type: "add_twap", params: { ...twap, reduce_only: false } }
      ]
      for (const command of [order, ...others]) {
        yield* socket.send(command)
        const { error_code, message } = (yield* socket.take("err")).err
        expect([error_code, message.endsWith(publicReason)]).toEqual(["VenueHalted", true])
      }
      const { post, signed } = yield* RestClient
      const path = `/user/transfer?src_account_id=${other}&dst_account_id=${alice.userId}`
      const moved = yield* post(path, { amount: 1 }, yield* signed(alice))
      expect([moved.status, (moved.body as { readonly type: string }).type]).toEqual([
        503,
        expect.stringContaining("/problems/venue-halted")
      ])
      expect((moved.body as { readonly detail: string }).detail).toContain(publicReason)
      const { client_order_id: _, ...asked } = order.params
      const preview = yield* post("/user/orders/preview", asked, yield* signed(alice))
      expect(preview.body).toMatchObject({ status: 503, type: expect.stringContaining("/problems/venue-halted") })
      yield* socket.send({ type: "cancel_order", params: { symbol: gold, client_order_id: "first" } })
      expect((yield* socket.take("order_response")).order_response.status).toBe("CANCELLED")

      for (const [to, shown] of [
        ["CANCEL_ONLY", { trading: "CANCEL_ONLY", withdrawals: "BLOCKED" }],
        ["TRADING", { trading: "TRADING", withdrawals: "BLOCKED" }],
        ["WITHDRAWALS", { trading: "TRADING", withdrawals: "OPEN" }]
      ] as const) {
        const early = yield* change(to)
        expect([early.status, (early.body as { readonly type: string }).type]).toEqual([
          409,
          expect.stringContaining("/problems/venue-not-resumable")
        ])
        yield* Effect.sleep("5 millis")
        yield* modes.audited({ fault: "the books", difference: null })
        expect((yield* change(to)).body).toMatchObject({ status: 409, detail: expect.stringContaining("the books") })
        yield* modes.audited(clean)
        expect((yield* change(to)).body).toMatchObject(shown)
        const { data } = (yield* admin("GET", "/alarms")).body as { readonly data: ReadonlyArray<{ kind: string }> }
        const { trading, withdrawals } = shown
        const lacking = [trading === "TRADING" ? [] : trading, withdrawals === "OPEN" ? [] : "WITHDRAWALS_BLOCKED"]
        expect(data.map(({ kind }) => kind).filter((kind) => kind !== "NO_PRICE")).toEqual(lacking.flat())
      }
      yield* socket.send(order)
      expect((yield* socket.take("order_response")).order_response.status).toBe("ACK")
      expect((yield* admin("GET", "/venue-mode")).body).toMatchObject({ trading: "TRADING", fault: null })
      const kept = yield* (yield* Audit).about("venue")
      expect(kept.map(({ action, actor, facts }) => [action, actor, facts["step"]]).toReversed()).toEqual([
        ["venue_halted", "operator", undefined],
        // The second halt command set the public reason.
        ["venue_halted", "operator", undefined],
        ["venue_resumed", "operator", "CANCEL_ONLY"],
        ["venue_resumed", "operator", "TRADING"],
        ["venue_resumed", "operator", "WITHDRAWALS"]
      ])
    })
  )

  it.effect(
    "an operator can block only withdrawals, and can unblock them only after an audit without differences",
    () =>
      Effect.gen(function* () {
        const modes = yield* VenueModes
        expect((yield* change("WITHDRAWALS_BLOCKED")).body).toMatchObject({
          trading: "TRADING",
          withdrawals: "BLOCKED"
        })
        yield* Effect.sleep("5 millis")
        yield* modes.audited({ fault: null, difference: "BANK holds less" })
        expect((yield* change("WITHDRAWALS")).body).toMatchObject({ status: 409 })
        yield* modes.audited(clean)
        expect((yield* change("WITHDRAWALS")).body).toMatchObject({ withdrawals: "OPEN" })
      })
  )
})
