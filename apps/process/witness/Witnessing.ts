/**
 * The witness of a process. Compares the entries of the process and of the wallet with the database, and halts the venue
 * if the database is behind: at the start, before anything is served, and after each lost connection, before a stream is
 * claimed. Stores the new committed rows every second.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Feed } from "@venue/cluster/feed/Feed"
import { marketStream } from "@venue/domain/Market"
import * as Recovery from "@venue/domain/Recovery"
import type { Row } from "@venue/journal/Journal"
import { Witness } from "@venue/journal/witness/Witness"
import type * as WitnessLine from "@venue/journal/witness/WitnessLine"
import * as WitnessState from "@venue/journal/witness/WitnessState"
import { DatabaseMoves } from "@venue/postgres/DatabaseMoves"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Transaction } from "@venue/postgres/Transaction"
import { Revocations } from "@venue/storage/access/Revocations"
import * as Comparison from "@venue/storage/recovery/Comparison"
import { type Finding, Recoveries } from "@venue/storage/recovery/Recoveries"
import { Context, Effect, Layer, Option, Schedule, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"
import * as StartMode from "../StartMode.ts"
import * as Recorder from "./Recorder.ts"
import * as Restrictions from "./Restrictions.ts"
import * as WalletWitness from "./WalletWitness.ts"
import * as WitnessFile from "./WitnessFile.ts"

export interface WitnessOptions {
  /** Name of the process, which owns the directory. */
  readonly name: string
  readonly directory: Option.Option<string>
  /** Whether the log warns of a process without a witness. */
  readonly isExpected: boolean
  /** Connection to the wallet, which keeps the entries of all runners. */
  readonly wallet: Option.Option<WalletWitness.Connection>
}

/**
 * Provides the recorder to the journal, and to `following`. Closes after the journal, so that it stores the last rows.
 */
export const layer = (options: WitnessOptions) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const recorder = Recorder.make()
      const services = (row: (row: Row) => void) =>
        Context.make(Recorder.Recorder, recorder).pipe(Context.add(Witness, row))
      const places = yield* placesOf(options)
      if (places.length === 0) {
        if (options.isExpected)
          yield* Effect.logWarning(
            "this node has no witness, so a restored database is not recognised: set VENUE_WITNESS_DIR"
          )
        return services(() => {})
      }
      const turn = yield* Semaphore.make(1)
      /** Newest entries of all places and of this process. */
      const known = WitnessState.make()
      const learn = (entries: ReadonlyArray<WitnessLine.Entry>) => {
        for (const entry of entries) WitnessState.take(known, entry)
      }
      const collect = Effect.gen(function* () {
        const entries = [...(yield* recorder.takeRows), ...(yield* restrictionsOf(recorder))]
        learn(entries)
        for (const { waiting } of places) for (const entry of entries) WitnessState.take(waiting, entry)
      }).pipe(turn.withPermit)
      /** Compares all known entries, after reading every place again. Omits places without a response. */
      const compareAll = (tries: number) =>
        Effect.gen(function* () {
          const answers: Array<readonly [Place, ReadonlyArray<WitnessLine.Entry>]> = []
          for (const place of places) {
            place.isCompared = false
            const read = Effect.retry(entriesOf(place), { times: tries - 1, schedule: betweenTries })
            const entries = yield* Effect.option(read)
            if (Option.isSome(entries)) answers.push([place, entries.value])
          }
          yield* compare([...WitnessState.entries(known), ...answers.flatMap(([, entries]) => entries)], options.name)
          for (const [place, entries] of answers) {
            learn(entries)
            place.isCompared = true
          }
        })
      const compareOne = (place: Place) =>
        Effect.gen(function* () {
          const entries = yield* entriesOf(place)
          yield* compare(entries, options.name)
          learn(entries)
          place.isCompared = true
        })

      yield* compareAll(triesAtStart)
      for (const { isCompared, what } of places)
        if (!isCompared) yield* Effect.logWarning(`${what} does not answer, and is compared when it does`)

      const store = Effect.andThen(
        collect,
        Effect.forEach(places, (place) => storeIn(place, compareOne(place)), {
          concurrency: "unbounded",
          discard: true
        })
      )
      yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(store, storedWithin)))
      const moves = yield* DatabaseMoves
      yield* moves.checking(
        Effect.provideContext(
          again(Effect.andThen(collect, compareAll(1))),
          yield* Effect.context<Recoveries | SqlClient.SqlClient>()
        )
      )
      yield* Effect.forkScoped(Effect.repeat(store, Schedule.spaced("1 second")))
      return services(recorder.row)
    })
  ).pipe(Layer.provide([Layer.fresh(Recoveries.layer), NodeHttpClient.layerUndici]))

/** Repeats a comparison until it succeeds. */
const again = <E, R>(comparison: Effect.Effect<void, E, R>) =>
  comparison.pipe(
    Effect.as(true),
    Effect.catchCause((cause) =>
      Effect.as(
        DatabaseOutage.report(cause, Effect.logWarning("the database could not be compared with the witness", cause)),
        false
      )
    ),
    Effect.repeat({ until: (isCompared) => isCompared, schedule: Schedule.spaced("200 millis") }),
    Effect.asVoid
  )

/** Records changes of restrictions on all nodes. */
export const following = Layer.effectDiscard(
  Effect.gen(function* () {
    const recorder = yield* Recorder.Recorder
    const revocations = yield* Revocations
    yield* revocations.watch(({ kind, subject }) => {
      if (kind === "user" || kind === "key") recorder.changed(kind, subject)
    })
  })
)

/** Records the rows of markets on other nodes, which this process receives through its feed. */
export const followingMarkets = Layer.effectDiscard(
  Effect.gen(function* () {
    const feed = yield* Feed
    const witness = yield* Witness
    const stop = feed.watch(({ epoch, instrument, row, seq }) => {
      if (row !== undefined) witness({ stream: marketStream(instrument.symbol), seq, epoch, events: row })
    })
    yield* Effect.addFinalizer(() => Effect.sync(stop))
  })
)

/** A place that keeps entries: the file of this process, or the wallet. */
interface Place {
  readonly what: string
  /** Returns the entries, or undefined if the place keeps no witness. */
  readonly read: Effect.Effect<ReadonlyArray<WitnessLine.Entry> | undefined, { readonly message: string }>
  readonly append: (entries: ReadonlyArray<WitnessLine.Entry>) => Effect.Effect<void, { readonly message: string }>
  /** Entries that are not stored yet. */
  waiting: WitnessState.WitnessState
  /** Whether the place's entries were compared since the start, or since the database moved. */
  isCompared: boolean
  hasFailed: boolean
}

const placesOf = Effect.fnUntraced(function* ({ directory, name, wallet }: WitnessOptions) {
  const places: Array<Place> = []
  const add = (place: Pick<Place, "append" | "read" | "what">) =>
    places.push({ ...place, waiting: WitnessState.make(), isCompared: false, hasFailed: false })
  if (Option.isSome(directory)) {
    const { append, entries } = yield* WitnessFile.open(directory.value, name)
    add({ what: `the witness in ${directory.value}`, read: Effect.sync(entries), append })
  }
  if (Option.isSome(wallet)) add({ what: "the witness of the wallet", ...(yield* WalletWitness.open(wallet.value)) })
  return places
})

const entriesOf = Effect.fnUntraced(function* (place: Place) {
  const entries = yield* Effect.timeout(place.read, readWithin)
  if (entries === undefined)
    yield* Effect.logWarning("the wallet keeps no witness: set VENUE_WITNESS_DIR of the wallet")
  return entries ?? []
})

/** Compares entries with the database. Reports losses and halts the venue, in one transaction. */
const compare = Effect.fn("Witnessing.compare")(function* (known: ReadonlyArray<WitnessLine.Entry>, node: string) {
  if (isComplete(yield* findingOf(known))) return
  yield* Effect.gen(function* () {
    const recoveries = yield* Recoveries
    const transaction = yield* Transaction
    const report = Effect.gen(function* () {
      // Compares again on the connection that writes: another one might lead to a replica that is behind.
      const found = yield* findingOf(known)
      if (isComplete(found)) return
      yield* StartMode.halt(
        `The database is behind the witness of ${node}, as after a restore of an older backup. Read GET /recovery, and decide with POST /recovery.`
      )
      yield* recoveries.report(found, node)
      const rows = found.losses.reduce((sum, loss) => sum + Recovery.missingOf(loss), 0)
      yield* Effect.logError(
        `the database is behind the witness: ${found.losses.length} streams lack ${rows} rows, and ${found.facts.length} changes of restrictions are missing; the venue is halted until two operators decide with POST /recovery`
      )
    })
    yield* transaction.run(report)
  }).pipe(Effect.provide(StartMode.services))
})

const findingOf = Effect.fnUntraced(function* (known: ReadonlyArray<WitnessLine.Entry>) {
  const rows = known.flatMap((entry) => (entry._tag === "Row" ? [entry.row] : []))
  const facts = known.flatMap((entry) => (entry._tag === "Fact" ? [entry.fact] : []))
  return {
    losses: Recovery.mergedByStream(yield* Comparison.losses(rows)),
    facts: Recovery.newestFacts(yield* Comparison.facts(facts))
  }
})

const isComplete = ({ facts, losses }: Finding): boolean => losses.length === 0 && facts.length === 0

const restrictionsOf = Effect.fnUntraced(function* (recorder: Recorder.RecorderShape) {
  const changed = recorder.takeChanged()
  const facts = yield* Restrictions.read(changed).pipe(
    Effect.catchCause((cause) => {
      for (const [kind, subject] of changed) recorder.changed(kind, subject)
      return Effect.as(
        DatabaseOutage.report(cause, Effect.logWarning("restrictions could not be read for the witness", cause)),
        []
      )
    })
  )
  return facts.map((fact): WitnessLine.Entry => ({ _tag: "Fact", fact }))
})

/** Stores new entries and the entries of failed attempts, after `compare`. Logs the first of several failures. */
const storeIn = <E extends { readonly message: string }, R>(place: Place, compare: Effect.Effect<void, E, R>) =>
  Effect.suspend(() => {
    const all = WitnessState.entries(place.waiting)
    if (all.length === 0) return Effect.void
    place.waiting = WitnessState.make()
    return (place.isCompared ? Effect.void : compare).pipe(
      Effect.andThen(place.append(all)),
      Effect.andThen(
        Effect.suspend(() => {
          const hadFailed = place.hasFailed
          place.hasFailed = false
          return hadFailed ? Effect.logWarning(`${place.what} is stored again`) : Effect.void
        })
      ),
      Effect.catch((error) => {
        for (const entry of all) WitnessState.take(place.waiting, entry)
        // The comparison needs the database, whose outage is reported elsewhere.
        if (error instanceof DatabaseUnavailable) return Effect.void
        const { message } = error
        const hadFailed = place.hasFailed
        place.hasFailed = true
        return hadFailed
          ? Effect.void
          : Effect.logError(`${place.what} cannot be stored, and a restore would not be recognised: ${message}`)
      })
    )
  })

const storedWithin = "5 seconds"
/** Longest time of one attempt to read a place. A comparison after a failover goes on without a wallet that is silent. */
const readWithin = "3 seconds"
const triesAtStart = 3
const betweenTries = Schedule.spaced("1 second")
