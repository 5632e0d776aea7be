import * as SimulatedSerialization from "@venue/cluster/clients/SimulatedSerialization"
import type { LocalDesk } from "@venue/cluster/clients/LocalEntities"
import { noCost, type Submission } from "@venue/cluster/protocol/Desk"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { uncharged } from "@venue/domain/RateLimits"
import { layerMemory } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { idOf, one, userId } from "../Neighbours.ts"

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

it.effect("an order that a desk of the same node is told is a copy of what was sent, with all that it said", () =>
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
    const plain = yield* SimulatedSerialization.desk(local)
    plain.submit([sent])
    assert.strictEqual(seen[0], sent)
    const simulated = yield* Effect.provideService(
      SimulatedSerialization.desk(local),
      SimulatedSerialization.SimulatedSerialization,
      true
    )
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

it.effect("the test venue serialises what its entities tell each other, also where they call functions", () =>
  Effect.gen(function* () {
    assert.isTrue(yield* SimulatedSerialization.SimulatedSerialization)
  }).pipe(Effect.provide(layerMemory))
)
