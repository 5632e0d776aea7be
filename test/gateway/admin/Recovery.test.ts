/** Recovery from lost rows by HTTP: the missing rows, the decisions of two operators, and the effects. */
import { Journal } from "@venue/journal/Journal"
import { marketStream } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { Audit } from "@venue/storage/access/Audit"
import { Operators } from "@venue/storage/access/Operators"
import { UserStates } from "@venue/storage/access/UserStates"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { Recoveries } from "@venue/storage/recovery/Recoveries"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Clock, Effect, Option, Redacted, Schedule } from "effect"
import { layer, RestClient } from "../rest/RestClient.ts"
import { goldOrder } from "./GoldOrder.ts"

const gold = MarketSymbol.make("GOLD-USD")
const accept = { decision: "accept_loss", reason: "the newer backup is damaged" }
const order = goldOrder()
const hourAhead = Effect.map(Clock.currentTimeMillis, (now) => now + 3_600_000)
const poll = Schedule.spaced("20 millis")

it.layer(layer, { excludeTestServices: true })("recovery", (it) => {
  it.effect("without a loss there is nothing to decide", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      expect((yield* admin("GET", "/recovery")).body).toMatchObject({ state: "NONE", data: [], people_needed: 2 })
      const refused = yield* admin("POST", "/recovery", accept)
      expect([refused.status, refused.body.detail]).toEqual([
        409,
        "No row is missing, so there is no loss to accept; GET /recovery returns the state NONE."
      ])
    })
  )

  it.effect("I57: two operators accept a loss; sessions end, restrictions return, and no order rests", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const journal = yield* Journal
      const modes = yield* VenueModes
      const recoveries = yield* Recoveries
      const { admin, get } = yield* RestClient
      const appoint = (name: string) =>
        Effect.map(
          admin("POST", "/operators", { name, roles: ["treasurer"], reason: "a second person" }),
          ({ body }): string => body.token
        )
      yield* venue.price(gold, 3_400)
      const [alice, bob, carol] = [yield* venue.user("alice"), yield* venue.user("bob"), yield* venue.user("carol")]
      const socket = yield* venue.trade(alice, ["order_responses"])
      yield* socket.send(order)
      yield* socket.take("order_response")
      const bearer = { authorization: `Bearer ${yield* venue.token(alice)}` }
      expect((yield* get("/user/onboarding", bearer)).status).toBe(200)
      const [head] = yield* journal.heads([marketStream(gold)])
      const second = yield* appoint("teo")
      yield* appoint("tom")
      const session = Redacted.make("a session")
      yield* (yield* Operators).beginSession("teo", session, yield* hourAhead)
      const bySession = Effect.map(admin("GET", "/venue-mode", undefined, "a session"), ({ status }) => status)
      expect(yield* bySession).toBe(200)
      yield* Effect.sleep("5 millis")

      const loss = {
        stream: marketStream(gold),
        databaseSeq: head!,
        databaseEpoch: 1,
        witnessedSeq: head! + 100,
        witnessedEpoch: 1,
        firstMissing: head! + 1
      }
      const facts = [
        { kind: "user", subject: bob.userId, number: 1_000, isRestricted: true },
        { kind: "key", subject: carol.publicKey, number: 1_001, isRestricted: true },
        { kind: "key", subject: bob.publicKey, number: 1_002, isRestricted: false },
        { kind: "user", subject: "of the lost time", number: 1_003, isRestricted: true }
      ] as const
      yield* recoveries.report({ losses: [loss], facts }, "runner-1")
      yield* modes.halt({ by: "venue", reason: "a test" })
      yield* Effect.sleep("5 millis")

      const { body: shown } = yield* admin("GET", "/recovery?limit=1")
      expect(shown).toMatchObject({
        state: "OPEN",
        found_by: "runner-1",
        streams: 1,
        missing_rows: 100,
        restrictions: 3,
        decisions: [],
        data: [{ stream: "market/GOLD-USD", database_row: head, witnessed_row: head! + 100, missing: 100 }],
        count: 1
      })
      const { body: alarms } = yield* admin("GET", "/alarms")
      expect(alarms.data[0]).toMatchObject({ kind: "BEHIND_WITNESS", streams: 1, missing_rows: 100 })
      yield* modes.audited({ fault: null, difference: null })
      const early = yield* admin("POST", "/venue-mode", { to: "CANCEL_ONLY", reason: "a test" })
      expect([early.status, early.body.detail]).toEqual([
        409,
        expect.stringContaining("accept the loss with POST /recovery (two operators), or stop all nodes")
      ])

      const late = yield* admin("POST", "/recovery", accept, yield* appoint("tara"))
      expect([late.status, late.body.detail]).toEqual([
        409,
        "tara was appointed, or received a token from another operator, after the loss was found. The decision requires 2 other treasurers; ask one of them to decide."
      ])
      const { body: given } = yield* admin("POST", "/operators/renew", { name: "tom", reason: "a lost token" })
      expect((yield* admin("POST", "/recovery", accept, given.token)).body.detail).toMatch(/^tom was appointed, or/)
      for (const _ of [1, 2])
        expect((yield* admin("POST", "/recovery", accept)).body).toMatchObject({
          is_decided: false,
          people: ["operator"],
          people_needed: 2
        })
      expect((yield* admin("POST", "/recovery", accept, second)).body).toMatchObject({
        is_decided: true,
        people: ["operator", "teo"]
      })
      expect((yield* socket.take("order_response")).order_response.status).toBe("CANCELLED")
      yield* Effect.repeat(recoveries.pending, { until: Option.isNone, schedule: poll })

      expect((yield* get("/user/onboarding", bearer)).status).toBe(401)
      expect(yield* bySession).toBe(401)
      expect((yield* (yield* UserStates).find(bob.userId)).frozen).toBe(true)
      const keys = yield* ApiKeys
      const revoked = (publicKey: string) =>
        Effect.map(keys.find(publicKey), (key) => Option.getOrThrow(key).revokedAtMillis !== null)
      expect([yield* revoked(carol.publicKey), yield* revoked(bob.publicKey)]).toEqual([true, false])
      const audit = yield* Audit
      const restricted = [...(yield* audit.about(bob.userId)), ...(yield* audit.about(carol.userId))]
      expect(
        restricted
          .filter(({ action }) => action === "user_frozen" || action === "api_key_revoked")
          .map(({ action, actor, facts, subject }) => ({ action, actor, subject, facts }))
      ).toEqual([
        { action: "user_frozen", actor: "venue", subject: bob.userId, facts: { recoveryId: 1 } },
        {
          action: "api_key_revoked",
          actor: "venue",
          subject: carol.userId,
          facts: { publicKey: carol.publicKey, recoveryId: 1 }
        }
      ])
      const [after] = yield* journal.heads([marketStream(gold)])
      expect(after).toBeGreaterThan(head! + 100)
      expect((yield* admin("GET", "/venue-mode")).body.trading).toBe("HALTED")
      yield* modes.audited({ fault: null, difference: null })
      expect((yield* admin("POST", "/venue-mode", { to: "CANCEL_ONLY", reason: "a test" })).status).toBe(200)
      const actions = (yield* audit.about("venue")).map(({ action }) => action)
      expect(actions).toEqual(
        expect.arrayContaining(["loss_accepted", "recovery_skipped_lost_rows", "recovery_done", "venue_resumed"])
      )

      yield* recoveries.report({ losses: [{ ...loss, witnessedSeq: head! + 50_000_001 }], facts: [] }, "runner-1")
      const tooMany = yield* admin("POST", "/recovery", accept)
      expect([tooMany.status, tooMany.body.detail]).toEqual([
        409,
        "50000001 rows are missing, and at most 50000000 can be accepted; stop all nodes, and restore a newer backup or remove the damaged witness."
      ])
    })
  )
})
