/**
 * Tests of operators who review held withdrawals and approve or reject them. A large withdrawal needs two operators.
 */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { Ids } from "@venue/cluster/clients/Ids"
import { noCost } from "@venue/cluster/protocol/Desk"
import type { WithdrawalMethod } from "@venue/domain/Rail"
import type { HoldReason } from "@venue/domain/Withdrawal"
import { Audit } from "@venue/storage/access/Audit"
import { Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { expect, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { TestVenue, type TestUser } from "@venue/testing/TestVenue"
import { layer, RestClient } from "../rest/RestClient.ts"
import * as Changes from "../../storage/treasury/Changes.ts"

const usd = 1_000_000n
const customer = (name: string) => Effect.flatMap(TestVenue, (venue) => venue.user(name, 1_000_000))

/** Records a withdrawal that is held for the given reasons and for the reasons that follow from its amount. */
const held = Effect.fnUntraced(function* (
  user: TestUser,
  amount: bigint,
  reasons: ReadonlyArray<HoldReason>,
  method: WithdrawalMethod = "ARBITRUM_ONE"
) {
  const desks = yield* DeskClient
  const withdrawalId = yield* Effect.map(Ids, (ids) => ids.next().text)
  yield* desks.ask(user.userId, (desk) =>
    desk.Withdraw({
      userId: user.userId,
      cost: noCost,
      withdrawalId,
      method,
      amount: amount * usd,
      destination,
      reasons
    })
  )
  return withdrawalId
})

const destination = "0x52908400098527886E0F7030069857D2E4169EE7"

it.layer(layer, { excludeTestServices: true })("held withdrawals", (it) => {
  it.effect("lists the reasons for a hold, and releases a small withdrawal after one operator's approval", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const ann = yield* customer("ann")
      const id = yield* held(ann, 60_000n, ["flagged-user"])
      const { body } = yield* admin("GET", "/withdrawals")
      expect(body.data.find((row: { withdrawal_id: string }) => row.withdrawal_id === id)).toMatchObject({
        user_id: ann.userId,
        amount: 60_000,
        fee: 1,
        destination,
        state: "HELD_FOR_REVIEW",
        held_for: ["amount", "flagged-user"],
        blocked: false,
        people_needed: 1
      })
      const approved = yield* admin("POST", "/withdrawals/approve", { withdrawal_id: id, reason: "known" })
      expect([approved.status, approved.body.is_decided, approved.body.people]).toEqual([200, true, ["operator"]])
      expect(yield* stateOf(id)).toEqual("QUEUED")
      expect((yield* admin("GET", `/withdrawals/${id}`)).body.steps.map((step: { to: string }) => step.to)).toEqual([
        "ACCEPTED",
        "HELD_FOR_REVIEW",
        "QUEUED"
      ])
      expect((yield* (yield* Audit).about(ann.userId)).at(0)).toMatchObject({
        action: "withdrawal_approved",
        actor: "operator",
        facts: { withdrawalId: id, amount: String(60_000n * usd), reason: "known", isDecided: true }
      })
      const again = yield* admin("POST", "/withdrawals/approve", { withdrawal_id: id, reason: "known" })
      expect([again.status, again.body.detail]).toEqual([
        409,
        "The withdrawal is QUEUED, but only a withdrawal that is HELD_FOR_REVIEW can be decided; read its state with GET /withdrawals/{withdrawal_id}."
      ])
    })
  )

  it.effect("releases a withdrawal above the limit only after two different operators have approved it", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const zoe = yield* customer("zoe")
      const teo = { name: "teo", roles: ["treasurer"], reason: "a second person" }
      const { token: second } = (yield* admin("POST", "/operators", teo)).body
      const id = yield* held(zoe, 300_000n, [])
      const say = (word: "approve" | "reject", token?: string) =>
        admin("POST", `/withdrawals/${word}`, { withdrawal_id: id, reason: word }, token)
      for (const _ of [1, 2]) {
        const { body } = yield* say("approve")
        expect([body.is_decided, body.people, body.people_needed]).toEqual([false, ["operator"], 2])
      }
      // The second operator first disagrees with the first one, and then agrees.
      expect((yield* say("reject", second)).body).toMatchObject({ is_decided: false, people: ["teo"] })
      expect(yield* stateOf(id)).toBe("HELD_FOR_REVIEW")
      expect((yield* say("approve", second)).body).toMatchObject({ is_decided: true, people: ["operator", "teo"] })
      expect(yield* stateOf(id)).toBe("QUEUED")
    })
  )

  it.effect("ignores the decision of an operator who was appointed after the withdrawal or has been dismissed", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const ivy = yield* customer("ivy")
      const appoint = (name: string) =>
        Effect.map(
          admin("POST", "/operators", { name, roles: ["treasurer"], reason: "a second person" }),
          ({ body }): string => body.token
        )
      const before = [yield* appoint("tom"), yield* appoint("tess")]
      yield* Effect.sleep("5 millis")
      const id = yield* held(ivy, 300_000n, [])
      yield* Effect.sleep("5 millis")
      const approve = (token?: string) =>
        admin("POST", "/withdrawals/approve", { withdrawal_id: id, reason: "known" }, token)
      const late = yield* approve(yield* appoint("tara"))
      expect([late.status, late.body.detail]).toEqual([
        409,
        "tara was appointed, or received a token from another operator, after the withdrawal was requested. The decision requires 2 other treasurers; ask one of them to decide."
      ])
      expect((yield* approve(before[0])).body).toMatchObject({ is_decided: false, people: ["tom"] })
      yield* admin("POST", "/operators/dismiss", { name: "tom", reason: "the token was stolen" })
      expect((yield* approve(before[1])).body).toMatchObject({ is_decided: false, people: ["tess"] })
      expect(yield* stateOf(id)).toBe("HELD_FOR_REVIEW")
      expect((yield* approve()).body).toMatchObject({ is_decided: true, people: ["tess", "operator"] })
    })
  )

  it.effect("refunds a rejected withdrawal, and refuses to approve the withdrawal later", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const ann = yield* customer("ann")
      const id = yield* held(ann, 1_000n, ["flagged-destination"])
      const rejected = yield* admin("POST", "/withdrawals/reject", { withdrawal_id: id, reason: "a known thief" })
      expect(rejected.body.is_decided).toBe(true)
      const one = (yield* admin("GET", `/withdrawals/${id}`)).body
      expect(one.ending).toEqual({ state: "REJECTED", by: "operator", reason: "a known thief" })
      const late = yield* admin("POST", "/withdrawals/approve", { withdrawal_id: id, reason: "oh" })
      expect([late.status, late.body.detail]).toEqual([
        409,
        "The withdrawal is REJECTED, but only a withdrawal that is HELD_FOR_REVIEW can be decided; read its state with GET /withdrawals/{withdrawal_id}."
      ])
      // A decision after the final one is not recorded.
      expect((yield* admin("GET", `/withdrawals/${id}`)).body.decisions).toHaveLength(1)
    })
  )

  it.effect("refuses a viewer's decision about a withdrawal, and returns 404 for an unknown withdrawal", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const { token } = (yield* admin("POST", "/operators", { name: "vic", roles: ["viewer"], reason: "looks" })).body
      expect((yield* admin("GET", "/withdrawals", undefined, token)).status).toBe(200)
      const unknown = { withdrawal_id: "9b2fdc7e-6a71-4f3a-9c39-0a8f3a6bb001", reason: "who knows" }
      expect((yield* admin("POST", "/withdrawals/approve", unknown, token)).status).toBe(403)
      expect((yield* admin("POST", "/withdrawals/approve", unknown)).status).toBe(404)
      expect((yield* admin("GET", `/withdrawals/${unknown.withdrawal_id}`)).status).toBe(404)
      expect((yield* admin("GET", "/withdrawals?state=ACCEPTED")).status).toBe(422)
    })
  )

  it.effect("raises an alarm while a withdrawal is held for review", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const ann = yield* customer("ann")
      const id = yield* held(ann, 1_000n, ["flagged-user"])
      const alarm = Effect.map(admin("GET", "/alarms"), ({ body }) =>
        body.data.find((one: { withdrawal_id?: string }) => one.withdrawal_id === id)
      )
      expect(yield* alarm).toMatchObject({ kind: "WITHDRAWAL_HELD", symbol: null, rail: "ARBITRUM_ONE" })
      yield* admin("POST", "/withdrawals/reject", { withdrawal_id: id, reason: "no" })
      expect(yield* alarm).toBeUndefined()
    })
  )

  it.effect(
    "cancels a stuck payment once at a treasurer's request, and records the cancellation in the audit log",
    () =>
      Effect.gen(function* () {
        const { admin } = yield* RestClient
        const bob = yield* customer("bob")
        const id = yield* held(bob, 1_000n, ["flagged-user"])
        const { attempt, find, refuse, submit } = yield* Changes.withdrawals
        const cancel = (withdrawal_id: string, token?: string) =>
          admin("POST", "/withdrawals/cancel-payment", { withdrawal_id, reason: "stuck" }, token)
        const early = yield* cancel(id)
        expect([early.status, early.body.detail]).toEqual([
          409,
          "The withdrawal is HELD_FOR_REVIEW and cannot be cancelled. Only a SUBMITTED withdrawal can be cancelled, or a QUEUED withdrawal with a reason in not_signed or with blocked true. To end a withdrawal that is HELD_FOR_REVIEW, use POST /withdrawals/reject."
        ])
        yield* admin("POST", "/withdrawals/approve", { withdrawal_id: id, reason: "known" })
        yield* submit(Option.getOrThrow(yield* find(id)), 7)
        yield* refuse(id, { _tag: "WalletRefuses", text: "above the limit" })
        const refusal = "The wallet refuses to sign: above the limit"
        const { body } = yield* admin("GET", "/alarms")
        const alarm = body.data.find((one: { withdrawal_id?: string }) => one.withdrawal_id === id)
        expect(alarm).toMatchObject({ kind: "WITHDRAWAL_NOT_SIGNED", rail: "ARBITRUM_ONE", reason: refusal })
        const vera = { name: "vera", roles: ["viewer"], reason: "looks" }
        expect((yield* cancel(id, (yield* admin("POST", "/operators", vera)).body.token)).status).toBe(403)
        const asked = yield* cancel(id)
        expect([asked.status, asked.body.state, asked.body.cancel, asked.body.not_signed.reason]).toEqual([
          200,
          "SUBMITTED",
          { by: "operator", reason: "stuck" },
          refusal
        ])
        expect((yield* (yield* Audit).about(bob.userId)).at(0)).toMatchObject({
          action: "withdrawal_cancel_asked",
          actor: "operator",
          facts: { withdrawalId: id, reason: "stuck" }
        })
        const again = yield* cancel(id)
        expect([again.status, again.body.detail]).toEqual([
          409,
          "operator has already requested this cancellation; wait until the withdrawal is FAILED, or SETTLED if the payment arrives first."
        ])
        expect((yield* cancel("9b2fdc7e-6a71-4f3a-9c39-0a8f3a6bb001")).status).toBe(404)
        expect(yield* attempt(id, payment("pay"))).toBe(false)
      })
  )

  it.effect(
    "cancels a QUEUED withdrawal only if its rail has refused the payment, and records the cancellation in the audit log",
    () =>
      Effect.gen(function* () {
        const { admin } = yield* RestClient
        const dan = yield* customer("dan")
        const id = yield* held(dan, 1_000n, [])
        const { find, refuse, submit } = yield* Changes.withdrawals
        const cancel = admin("POST", "/withdrawals/cancel-payment", { withdrawal_id: id, reason: "the token itself" })
        const early = yield* cancel
        expect([early.status, early.body.detail]).toEqual([
          409,
          expect.stringMatching(
            /^The withdrawal is QUEUED and cannot be cancelled.* QUEUED withdrawal with a reason in not_signed/
          )
        ])
        yield* refuse(id, { _tag: "UnpayableDestination" })
        const asked = yield* cancel
        expect([asked.status, asked.body.state, asked.body.cancel]).toEqual([
          200,
          "QUEUED",
          { by: "operator", reason: "the token itself" }
        ])
        expect((yield* (yield* Audit).about(dan.userId)).at(0)).toMatchObject({
          action: "withdrawal_cancel_asked",
          actor: "operator",
          facts: { withdrawalId: id, reason: "the token itself" }
        })
        expect((yield* cancel).body.detail).toBe(
          "operator has already requested this cancellation; wait until the withdrawal is FAILED, or SETTLED if the payment arrives first."
        )
        expect(yield* submit(Option.getOrThrow(yield* find(id)), 17)).toBe(true)
        expect(yield* stateOf(id)).toBe("SUBMITTED")
      })
  )

  it.effect("cancels a payout before it is signed, and refuses to cancel it afterwards", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const cat = yield* customer("cat")
      const { attempt, find, submit } = yield* Changes.withdrawals
      const cancel = (withdrawal_id: string) =>
        admin("POST", "/withdrawals/cancel-payment", { withdrawal_id, reason: "stuck" })
      const [given, kept] = [yield* held(cat, 100n, [], "wire"), yield* held(cat, 100n, [], "wire")]
      for (const [at, id] of [given, kept].entries()) yield* submit(Option.getOrThrow(yield* find(id)), at)
      yield* attempt(given, payment("pay"))
      const late = yield* cancel(given)
      expect([late.status, late.body.detail]).toEqual([
        409,
        "The payout is already queued for the bank and can no longer be cancelled; wait until it settles or fails."
      ])
      expect(Option.getOrThrow(yield* find(given)).cancelledBy).toBe(null)
      expect((yield* cancel(kept)).status).toBe(200)
    })
  )

  it.effect("sets a flag on a user once with a reason, lists the flag, and clears it", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const ann = yield* customer("ann")
      const flag = { kind: "user", subject: ann.userId, effect: "flagged", reason: "asked by the police" }
      expect((yield* admin("POST", "/treasury-flags", flag)).status).toBe(204)
      expect((yield* admin("POST", "/treasury-flags", { ...flag, reason: "again" })).status).toBe(204)
      const { body } = yield* admin("GET", "/treasury-flags")
      expect(body.data).toEqual([{ ...flag, set_by: "operator", set_at: expect.any(String) }])
      expect((yield* admin("POST", "/treasury-flags/clear", { ...flag, reason: "mended" })).status).toBe(204)
      expect((yield* admin("POST", "/treasury-flags/clear", flag)).status).toBe(404)
      expect((yield* admin("GET", "/treasury-flags")).body.count).toBe(0)
    })
  )

  it.effect("freezes and unfreezes an address in any letter case, and rejects an invalid address", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const fay = yield* customer("fay")
      const id = yield* held(fay, 100n, [])
      const flag = (subject: string, clear = false, kind = "address") =>
        admin("POST", `/treasury-flags${clear ? "/clear" : ""}`, { kind, subject, effect: "frozen", reason: "asked" })
      const isBlocked = Effect.map(admin("GET", `/withdrawals/${id}`), ({ body }) => body.blocked)
      const [lower, upper] = [destination.toLowerCase(), `0x${destination.slice(2).toUpperCase()}`]
      for (const [frozen, freed] of [
        [lower, upper],
        [upper, destination],
        [destination, lower]
      ] as const) {
        expect((yield* flag(frozen)).status).toBe(204)
        expect(yield* isBlocked).toBe(true)
        expect((yield* flag(freed, true)).status).toBe(204)
        expect(yield* isBlocked).toBe(false)
      }
      const others = ["TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "9b2fdc7e-6a71-4f3a-9c39-0a8f3a6bb001"]
      for (const other of others) expect((yield* flag(other)).status).toBe(204)
      const { body } = yield* admin("GET", "/treasury-flags")
      expect(body.data.map(({ subject }: { subject: string }) => subject).toSorted()).toEqual(others.toSorted())
      expect((yield* flag(others[1]!.toUpperCase(), true)).status).toBe(204)
      expect((yield* flag(others[0]!, true)).status).toBe(204)
      const wrong = [lower.replace("0x5", "0x"), destination.replace("E7", "e7"), lower.slice(2), "ann", "TR7NHqjeKQ"]
      for (const subject of [...wrong, others[0]!.toLowerCase()])
        for (const clear of [false, true]) {
          const refused = yield* flag(subject, clear)
          expect([subject, refused.status, refused.body.errors[0]]).toMatchObject([
            subject,
            422,
            {
              location: "body.subject",
              message: expect.stringMatching(/^Expected an ARBITRUM_ONE address/),
              value: subject
            }
          ])
        }
      const stranger = yield* flag(destination, false, "user")
      expect([stranger.status, stranger.body.errors[0].message]).toEqual([422, "Expected a user id, which is a UUID"])
    })
  )
})

const payment = (purpose: "pay" | "cancel") => ({
  attempt: 1,
  purpose,
  reference: "0x1",
  bytes: Redacted.make("signed"),
  expiresAtMillis: null,
  signedAtMillis: 1_000
})

const stateOf = (withdrawalId: string) =>
  Effect.flatMap(Withdrawals, ({ find }) => Effect.map(find(withdrawalId), (found) => Option.getOrThrow(found).state))
