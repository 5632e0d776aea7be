/**
 * Tests of the feed heads that a gateway sends with pulses (calls that request account summaries), only to desks in
 * other processes.
 */
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

interface Renewal {
  readonly connections: ReadonlyArray<RenewedConnection>
  readonly heads?: ReadonlyArray<Head>
}

const scene = Effect.fnUntraced(function* () {
  const renewals: Array<Renewal> = []
  const heads: Array<Head> = []
  const localEntities = { markets: new Map(), desks: new Map(), gateways: new Set<string>() }
  const desk = {
    Renew: (payload: Renewal) =>
      Effect.sync(() => {
        renewals.push(payload)
        return { summaries: [], ended: [] }
      })
  }
  const connection = {
    connectionId: "connection",
    member: { caller: { userId }, accountId: primaryAccountOf(userId) },
    subscriptions: { sendsPulses: true },
    activeAtMillis: 0,
    isArmed: true,
    isLeased: true,
    tick: () => {},
    probe: () => {},
    closeIfLost: () => {},
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
        Layer.succeed(FeedHeads)({ all: () => [...heads] }),
        Layer.succeed(VenueSettings)({ ...defaults, desks: 1 })
      )
    )
  )
  return { renewals, heads, desks: localEntities.desks, pulse }
})

it.effect("sends feed heads to a remote desk with a pulse, and sends none with a lease renewal", () =>
  Effect.gen(function* () {
    const { heads, pulse, renewals } = yield* scene()
    heads.push({ symbol: one.symbol, seq: 7 })
    pulse.due()
    yield* TestClock.adjust("1 second")
    heads[0] = { symbol: one.symbol, seq: 9 }
    yield* TestClock.adjust("1 second")
    const pulses = renewals.filter(({ connections }) => connections[0]!.wanted)
    assert.deepEqual(
      pulses.map(({ heads }) => heads),
      [[{ symbol: one.symbol, seq: 7 }], [{ symbol: one.symbol, seq: 9 }]]
    )
    pulse.leased()
    yield* TestClock.adjust("500 millis")
    const leases = renewals.filter(({ connections }) => !connections[0]!.wanted)
    assert.isNotEmpty(leases)
    assert.deepEqual([...new Set(leases.map(({ heads }) => heads))], [undefined])
  })
)

it.effect("sends no feed heads to a desk in the same process", () =>
  Effect.gen(function* () {
    const { desks, heads, pulse, renewals } = yield* scene()
    desks.set("0", {} as never)
    heads.push({ symbol: one.symbol, seq: 7 })
    pulse.due()
    yield* TestClock.adjust("2 seconds")
    assert.isNotEmpty(renewals)
    assert.deepEqual([...new Set(renewals.map(({ heads }) => heads))], [undefined])
  })
)
