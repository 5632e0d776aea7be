/** A gateway that asks a desk for a pulse says how far it has told the markets; a desk of its own process needs no telling. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import { FeedHeads } from "@venue/cluster/clients/FeedHeads"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import type { Head, RenewedConnection } from "@venue/cluster/protocol/Desk"
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { Connection } from "@venue/gateway/trade/Connection"
import * as Pulse from "@venue/gateway/trade/Pulse"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { one, userId } from "../../cluster/Neighbours.ts"

interface Asked {
  readonly connections: ReadonlyArray<RenewedConnection>
  readonly heads?: ReadonlyArray<Head>
}

const scene = Effect.fnUntraced(function* () {
  const asked: Array<Asked> = []
  const told: Array<Head> = []
  const localEntities = { markets: new Map(), desks: new Map(), gateways: new Set<string>() }
  const desk = {
    Renew: (payload: Asked) =>
      Effect.sync(() => {
        asked.push(payload)
        return { summaries: [], ended: [] }
      })
  }
  const connection = {
    connectionId: "connection",
    member: { caller: { userId }, accountId: primaryAccountOf(userId) },
    subscriptions: { sendsPulses: true },
    heardAtMillis: 0,
    isArmed: true,
    isLeased: true,
    tick: () => {},
    probe: () => {},
    lost: () => {},
    isWaiting: () => false
  } as unknown as Connection
  const pulse = yield* Pulse.make(new Set([connection])).pipe(
    Effect.provide(
      Layer.mergeAll(
        Layer.mock(DeskClient, {
          submit: () => {},
          whenReplied: () => {},
          askDesk: ((_, call) => call(desk as never)) as DeskClient["Service"]["askDesk"]
        }),
        Layer.succeed(LocalEntities)(localEntities),
        Layer.succeed(FeedHeads)({ all: () => [...told] }),
        Layer.succeed(VenueSettings)({ ...defaults, desks: 1 })
      )
    )
  )
  return { asked, told, desks: localEntities.desks, pulse }
})

it.effect("a pulse of a desk elsewhere is asked for with the rows told so far, a lease without", () =>
  Effect.gen(function* () {
    const { asked, pulse, told } = yield* scene()
    told.push({ symbol: one.symbol, seq: 7 })
    pulse.due()
    yield* TestClock.adjust("1 second")
    told[0] = { symbol: one.symbol, seq: 9 }
    yield* TestClock.adjust("1 second")
    const pulses = asked.filter(({ connections }) => connections[0]!.wanted)
    assert.deepEqual(
      pulses.map(({ heads }) => heads),
      [[{ symbol: one.symbol, seq: 7 }], [{ symbol: one.symbol, seq: 9 }]]
    )
    pulse.leased()
    yield* TestClock.adjust("500 millis")
    const leases = asked.filter(({ connections }) => !connections[0]!.wanted)
    assert.isNotEmpty(leases)
    assert.deepEqual([...new Set(leases.map(({ heads }) => heads))], [undefined])
  })
)

it.effect("a desk of this process has the feed that the connections hear, and is told no rows", () =>
  Effect.gen(function* () {
    const { asked, desks, pulse, told } = yield* scene()
    desks.set("0", {} as never)
    told.push({ symbol: one.symbol, seq: 7 })
    pulse.due()
    yield* TestClock.adjust("2 seconds")
    assert.isNotEmpty(asked)
    assert.deepEqual([...new Set(asked.map(({ heads }) => heads))], [undefined])
  })
)
