/**
 * The witness of a process. At the start, before anything is served, compares the entries of the process and of the wallet
 * with the database, and halts the venue if the database is behind. Then stores the new committed rows every second.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Feed } from "@venue/cluster/feed/Feed"
import { marketStream } from "@venue/domain/Market"
import * as Recovery from "@venue/domain/Recovery"
import type { Row } from "@venue/journal/Journal"
import { Witness } from "@venue/journal/witness/Witness"
import type * as WitnessLine from "@venue/journal/witness/WitnessLine"
import * as WitnessState from "@venue/journal/witness/WitnessState"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { Revocations } from "@venue/storage/access/Revocations"
import * as Comparison from "@venue/storage/recovery/Comparison"
import { Recoveries } from "@venue/storage/recovery/Recoveries"
import { Context, Effect, Layer, Option, Schedule } from "effect"
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

/** A place that keeps entries: the file of this process, or the wallet. */
interface Place {
  readonly what: string
  readonly known: ReadonlyArray<WitnessLine.Entry>
  readonly append: (entries: ReadonlyArray<WitnessLine.Entry>) => Effect.Effect<void, { readonly message: string }>
}

/**
 * Provides the recorder to the journal, and to `following`. Closes after the journal, so that it stores the last rows.
 */
export const layer = (options: WitnessOptions) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const places = yield* placesOf(options)
      const recorder = Recorder.make()
      const services = (row: (row: Row) => void) =>
        Context.make(Recorder.Recorder, recorder).pipe(Context.add(Witness, row))
      if (places.length === 0) {
        if (options.isExpected)
          yield* Effect.logWarning(
            "this node has no witness, so a restored database is not recognised: set VENUE_WITNESS_DIR"
          )
        return services(() => {})
      }
      yield* compare(places, options.name)
      const pending = places.map((place): Pending => ({ place, state: WitnessState.make(), hasFailed: false }))
      const store = Effect.gen(function* () {
        const entries = [...(yield* recorder.takeRows), ...(yield* restrictionsOf(recorder))]
        yield* Effect.forEach(pending, (attempt) => storeIn(attempt, entries), {
          concurrency: "unbounded",
          discard: true
        })
      })
      yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(store, storedWithin)))
      yield* Effect.forkScoped(Effect.repeat(store, Schedule.spaced("1 second")))
      return services(recorder.row)
    })
  ).pipe(Layer.provide([Layer.fresh(Recoveries.layer), NodeHttpClient.layerUndici]))

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

const placesOf = Effect.fnUntraced(function* ({ directory, name, wallet }: WitnessOptions) {
  const places: Array<Place> = []
  if (Option.isSome(directory)) {
    const { append, entries } = yield* WitnessFile.open(directory.value, name)
    places.push({ what: `the witness in ${directory.value}`, known: entries(), append })
  }
  if (Option.isSome(wallet)) {
    const { append, known } = yield* WalletWitness.open(wallet.value)
    if (known !== undefined) places.push({ what: "the witness of the wallet", known, append })
  }
  return places
})

/** Compares the known entries with the database. Reports losses and halts the venue. */
const compare = Effect.fn("Witnessing.compare")(function* (places: ReadonlyArray<Place>, node: string) {
  const recoveries = yield* Recoveries
  const known = places.flatMap((place) => place.known)
  const losses = Recovery.mergedByStream(
    yield* Comparison.losses(known.flatMap((entry) => (entry._tag === "Row" ? [entry.row] : [])))
  )
  const facts = Recovery.newestFacts(
    yield* Comparison.facts(known.flatMap((entry) => (entry._tag === "Fact" ? [entry.fact] : [])))
  )
  if (losses.length === 0 && facts.length === 0) return
  yield* StartMode.halt(
    `The database is behind the witness of ${node}, as after a restore of an older backup. Read GET /recovery, and decide with POST /recovery.`
  )
  yield* recoveries.report({ losses, facts }, node)
  const rows = losses.reduce((sum, loss) => sum + Recovery.missingOf(loss), 0)
  yield* Effect.logError(
    `the database is behind the witness: ${losses.length} streams lack ${rows} rows, and ${facts.length} changes of restrictions are missing; the venue is halted until two operators decide with POST /recovery`
  )
})

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

interface Pending {
  readonly place: Place
  /** Entries that are not stored yet. */
  state: WitnessState.WitnessState
  hasFailed: boolean
}

/** Stores new entries and the entries of failed attempts. Logs the first of several failures. */
const storeIn = (pending: Pending, entries: ReadonlyArray<WitnessLine.Entry>) =>
  Effect.suspend(() => {
    for (const entry of entries) WitnessState.take(pending.state, entry)
    const { place, state } = pending
    const all = WitnessState.entries(state)
    if (all.length === 0) return Effect.void
    pending.state = WitnessState.make()
    return place.append(all).pipe(
      Effect.andThen(
        Effect.suspend(() => {
          const hadFailed = pending.hasFailed
          pending.hasFailed = false
          return hadFailed ? Effect.logWarning(`${place.what} is stored again`) : Effect.void
        })
      ),
      Effect.catch(({ message }) => {
        for (const entry of all) WitnessState.take(pending.state, entry)
        const hadFailed = pending.hasFailed
        pending.hasFailed = true
        return hadFailed
          ? Effect.void
          : Effect.logError(`${place.what} cannot be stored, and a restore would not be recognised: ${message}`)
      })
    )
  })

const storedWithin = "5 seconds"
