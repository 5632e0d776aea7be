/**
 * Pushes alarms to the operators' webhooks. Every node runs a pusher, and the node that holds the lease sends. While
 * the database is out, nodes send from memory, one after the other by rank, so that messages may arrive twice.
 */
import { merge, type TrackedAlarms } from "@venue/domain/AlarmPush"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as GivenUp from "@venue/postgres/GivenUp"
import { AlarmPushes, type StoredAlarm } from "@venue/storage/alarms/AlarmPushes"
import { type AlarmEndpoint, AlarmWebhooks } from "@venue/storage/alarms/AlarmWebhooks"
import { type NodeReport, NodeReports } from "@venue/storage/alarms/NodeReports"
import { Cause, Clock, Context, Effect, Layer, Schedule } from "effect"
import * as AlarmDelivery from "./AlarmDelivery.ts"
import * as CurrentAlarms from "./CurrentAlarms.ts"
import { OwnNode } from "./NodeAlarms.ts"
import * as PushRound from "./PushRound.ts"
import * as SenderRank from "./SenderRank.ts"

/** State that the node last read from the database. */
interface Known {
  readonly endpoints: ReadonlyArray<AlarmEndpoint>
  readonly nodes: ReadonlyArray<NodeReport>
  readonly holder: string
  readonly tracked: TrackedAlarms<StoredAlarm>
}

/** Runs until interrupted. */
export const run = Effect.scoped(
  Effect.gen(function* () {
    const current = yield* CurrentAlarms.make
    const deliver = yield* AlarmDelivery.make
    const stored = yield* AlarmPushes
    const memory = yield* memoryPushes
    const own = yield* OwnNode
    const reports = yield* NodeReports
    const webhooks = yield* AlarmWebhooks
    let known: Known = { endpoints: [], nodes: [], holder: "", tracked: new Map() }
    let silentSinceMillis: number | undefined
    let sendsFromMemory = false

    const read = Effect.gen(function* () {
      const { kind, name } = own
      yield* reports.report({ name, kind, conditions: yield* own.conditions })
      const endpoints = yield* webhooks.endpoints
      const nodes = yield* reports.recent
      // Alarms that began without a webhook begin again for the first one.
      const tracked = yield* stored.tracked
      if (endpoints.length === 0) {
        if (tracked.size > 0) yield* stored.commit({ put: [], removed: [...tracked.keys()], messages: [] })
        return { endpoints, nodes, holder: "", tracked: new Map() } satisfies Known
      }
      return { endpoints, nodes, holder: yield* stored.lease(name), tracked } satisfies Known
    })
    const pushStored = Effect.gen(function* () {
      const now = yield* read
      if (sendsFromMemory) {
        yield* handBack(memory, known.tracked, stored)
        sendsFromMemory = false
      }
      known = now
      silentSinceMillis = undefined
    }).pipe(limited, Effect.andThen(Effect.suspend(() => (known.holder === own.name ? pushWith(stored) : Effect.void))))
    const pushWith = Effect.fnUntraced(function* (pushes: AlarmPushes["Service"]) {
      yield* limited(PushRound.run(pushes, known.endpoints, yield* current))
    })
    const pushFromMemory = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      silentSinceMillis ??= now
      const wait = SenderRank.waitMillis(own.name, known.holder, known.nodes)
      if (known.endpoints.length === 0 || now - silentSinceMillis < wait) return
      if (!sendsFromMemory) {
        yield* memory.commit({ put: [...known.tracked.values()], removed: [], messages: [] })
        sendsFromMemory = true
      }
      yield* pushWith(memory)
    })
    const round = Effect.catchTag(pushStored, "DatabaseUnavailable", ({ cause }) =>
      Effect.andThen(DatabaseOutage.report(Cause.fail(cause), Effect.void), Effect.ignore(pushFromMemory))
    ).pipe(
      Effect.tapDefect((defect) => Effect.logError("pushing alarms failed; the next round is in 5 s", defect)),
      Effect.exit
    )
    const send = Effect.suspend(() =>
      sendsFromMemory
        ? deliver(memory, known.endpoints)
        : known.holder === own.name && silentSinceMillis === undefined
          ? limited(deliver(stored, known.endpoints))
          : Effect.void
    ).pipe(Effect.ignore)

    // Another node takes over at once when this one stops, instead of when its lease ends.
    yield* Effect.addFinalizer(() =>
      Effect.ignore(limited(Effect.andThen(reports.remove(own.name), stored.release(own.name))))
    )
    yield* Effect.forkScoped(Effect.repeat(send, Schedule.spaced("1 second")))
    yield* Effect.repeat(round, Schedule.spaced(roundInterval))
  })
)

const roundInterval = "5 seconds"

/** Gives up a query after 3 s, because a hanging database counts as out. */
const limited = <A, E, R>(work: Effect.Effect<A, E, R>) => orUnavailable(GivenUp.afterByMachineClock("3 seconds")(work))

/** Tables of this node alone, for the time without a database. */
const memoryPushes = Effect.map(Layer.build(Layer.fresh(AlarmPushes.layerMemory)), Context.get(AlarmPushes))

/** Stores what this node tracked and did not deliver while the database was out. */
const handBack = Effect.fnUntraced(function* (
  memory: AlarmPushes["Service"],
  known: TrackedAlarms<StoredAlarm>,
  stored: AlarmPushes["Service"]
) {
  const own = yield* memory.tracked
  const messages = yield* memory.waiting
  yield* stored.commit({ ...merge(known, own, yield* stored.tracked), messages })
  yield* memory.commit({ put: [], removed: [...own.keys()], messages: [] })
  yield* Effect.forEach(messages, memory.remove, { discard: true })
})
