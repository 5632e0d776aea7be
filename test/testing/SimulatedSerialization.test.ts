/** Entities whose messages pass through their codecs within one node. */
import { Interception, type LocalDesk } from "@venue/cluster/clients/LocalEntities"
import { noCost, type Submission } from "@venue/cluster/protocol/Desk"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { uncharged } from "@venue/domain/RateLimits"
import * as SimulatedSerialization from "@venue/testing/SimulatedSerialization"
import { layerMemory } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { idOf, one, userId } from "../cluster/Neighbours.ts"

const cancelUntil = (expiresAtMillis: number): Submission => ({
  userId,
  cost: noCost,
  request: {
    _tag: "CancelAllOrders",
    cause: "REQUEST",
    commandId: idOf(1),
    expiresAtMillis,
    accountId: primaryAccountOf(userId),
    symbol: one.symbol
  }
})

it.effect("a local desk receives a decoded copy of each order, with every field", () =>
  Effect.gen(function* () {
    const seen: Array<Submission> = []
    const local: LocalDesk = {
      submit: (submissions) => {
        seen.push(...submissions)
        return undefined
      },
      summary: () => undefined,
      isEndingOrphans: () => false,
      isArmed: () => false,
      spendRest: () => uncharged
    }
    const sent = cancelUntil(5_000)
    const plain = (yield* Interception).desk(local)
    plain.submit([sent])
    assert.strictEqual(seen[0], sent)
    const simulated = SimulatedSerialization.codecs.desk(local)
    assert.isUndefined(simulated.submit([sent]))
    assert.notStrictEqual(seen[1], sent)
    assert.strictEqual(seen[1]!.request.commandId.text, sent.request.commandId.text)
    assert.deepInclude(seen[1]!.request, {
      expiresAtMillis: 5_000,
      accountId: primaryAccountOf(userId),
      symbol: one.symbol
    })
    const spoilt = { ...sent, userId: 7 } as unknown as Submission
    assert.isTrue(Exit.isFailure(yield* Effect.exit(Effect.try(() => simulated.submit([spoilt])))))
  })
)

it.effect("the test venue also serialises direct function calls between desks and markets", () =>
  Effect.gen(function* () {
    assert.isTrue((yield* Interception) === SimulatedSerialization.codecs)
  }).pipe(Effect.provide(layerMemory))
)
