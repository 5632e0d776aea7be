/** The venue's mode of trading and withdrawals, in one row that the auditor and operators change. */
import {
  inForce,
  obstacle,
  stepped,
  type VenueMode,
  type VenueStep,
  venue,
  VenueTrading,
  VenueWithdrawals
} from "@venue/domain/VenueMode"
import { of, orNull, storable, text, timestamptz } from "@venue/postgres/Column"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as GivenUp from "@venue/postgres/GivenUp"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Layer, Schedule, Schema, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"

const modeTable = Table.make("venue_mode", {
  trading: of("text", VenueTrading),
  withdrawals: of("text", VenueWithdrawals),
  reason: text,
  publicReason: orNull(text),
  changedBy: text,
  changedAtMillis: timestamptz,
  auditedAtMillis: orNull(timestamptz),
  fault: orNull(text),
  difference: orNull(text)
})

/** This step towards normal trading is not possible now; `why` gives the reason. */
export class NotResumable extends Schema.TaggedError<NotResumable>()("NotResumable", { why: Schema.String }) {}

type Refusal = NotResumable | DatabaseUnavailable

/** Check in the transaction of a resume, which no halt can pass. */
export type Allowed = Effect.Effect<void, Refusal>

/** Author and reason of a change to the mode. */
export interface Change {
  readonly by: string
  readonly reason: string
  /** Reason that traders see; omitted or null without a fault. */
  readonly publicReason?: string | null | undefined
}

export type Audited = Pick<VenueMode, "fault" | "difference">

/** False for a venue without an auditor, such as an in-memory venue, where a missing audit blocks nothing. */
export const HasAuditor = Context.Reference<boolean>("@venue/storage/access/HasAuditor", { defaultValue: () => true })

export class VenueModes extends Context.Service<
  VenueModes,
  {
    /** Returns the cached mode, which is at most 500 ms old while the database is reachable. */
    readonly now: () => VenueMode
    /** Whether the cached mode allows withdrawals; false if the cache is older than 3 s. */
    readonly mayWithdraw: () => boolean
    /**
     * Until the scope closes, calls `observe` within 500 ms of an audit. Several audits between two polls cause one
     * call.
     */
    readonly watchAudits: (observe: () => void) => Effect.Effect<void, never, Scope.Scope>
    readonly read: Effect.Effect<VenueMode, DatabaseUnavailable>
    /**
     * The stored mode or, if there is no recent audit, the stored mode with withdrawals set to BLOCKED and the reason
     * added.
     */
    readonly inForce: Effect.Effect<VenueMode, DatabaseUnavailable>
    /** Halts the venue; returns false if already halted. A repeated halt can replace only the public reason. */
    readonly halt: (change: Change) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Blocks withdrawals; returns false if they were already blocked. */
    readonly blockWithdrawals: (change: Change) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Takes one step back towards normal trading, if `allowed` succeeds. A halt that begins meanwhile comes after it. */
    readonly resume: (step: VenueStep, change: Change, allowed?: Allowed) => Effect.Effect<VenueMode, Refusal>
    /** Records an audit, which proves that the auditor is running and is a precondition of `resume`. */
    readonly audited: (result: Audited) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@venue/storage/access/VenueModes") {
  static readonly layer: Layer.Layer<VenueModes, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    VenueModes,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const clock = yield* Clock.Clock
      const hasAuditor = yield* HasAuditor
      const only = Effect.map(modeTable.all(sql`select ${modeTable.columns} from venue_mode`), ([row]) => row!)
      const { notify, watchAudits } = makeObservers()
      let [mode, refreshedMillis] = [yield* only, clock.currentTimeMillisUnsafe()]
      const held = heldFrom(clock, hasAuditor)
      const refresh = Effect.suspend(() => {
        const startMillis = clock.currentTimeMillisUnsafe()
        return Effect.map(only, (row) => {
          const isAudited = row.auditedAtMillis !== mode.auditedAtMillis
          mode = row
          refreshedMillis = startMillis
          if (isAudited) notify()
          return row
        })
      })
      yield* GivenUp.afterByMachineClock(giveUpAfter)(refresh).pipe(
        Effect.catchCause((cause) =>
          DatabaseOutage.report(cause, Effect.logWarning("the venue's mode could not be read", cause))
        ),
        Effect.repeat(Schedule.spaced(pollEvery)),
        Effect.forkScoped
      )
      const changed = Effect.fnUntraced(function* (change: Partial<VenueMode>, by: Change, where: Fragment) {
        const changedAtMillis = yield* Clock.currentTimeMillis
        const set = modeTable.set({ ...change, ...recorded(by, changedAtMillis) })
        const rows = yield* sql`update venue_mode set ${set} where ${where} returning 1`
        yield* refresh
        return rows.length > 0
      })

      return VenueModes.of({
        now: () => mode,
        watchAudits,
        mayWithdraw: () => {
          const nowMillis = clock.currentTimeMillisUnsafe()
          return nowMillis - refreshedMillis < maxAgeMillis && held(mode).withdrawals === "OPEN"
        },
        read: orUnavailable(refresh),
        inForce: orUnavailable(Effect.map(refresh, held)),
        halt: Effect.fn("VenueModes.halt")(
          function* (change: Change) {
            // Waits for a resume that has not committed, and whose mode the next statement would not see.
            yield* sql`select 1 from venue_mode for update`
            const isNew = yield* changed(halted, change, sql`trading <> 'HALTED'`)
            if (isNew || (change.publicReason ?? null) === null) return isNew
            yield* sql`update venue_mode set public_reason = ${storableOrNull(change.publicReason!)}`
            yield* refresh
            return false
          },
          sql.withTransaction,
          orUnavailable
        ),
        blockWithdrawals: Effect.fn("VenueModes.blockWithdrawals")(
          (change: Change) => changed(blocked, change, sql`withdrawals <> 'BLOCKED'`),
          orUnavailable
        ),
        resume: Effect.fn("VenueModes.resume")(
          function* (step: VenueStep, by: Change, allowed: Allowed = Effect.void) {
            const [before] = yield* modeTable.all(sql`select ${modeTable.columns} from venue_mode for update`)
            yield* allowed
            const changedAtMillis = yield* Clock.currentTimeMillis
            const why = obstacle(before!, step, changedAtMillis)
            if (why !== undefined) return yield* new NotResumable({ why })
            const change = { ...stepped(step), ...recorded(by, changedAtMillis) }
            yield* sql`update venue_mode set ${modeTable.set(change)}`
            return yield* refresh
          },
          sql.withTransaction,
          orUnavailable
        ),
        audited: Effect.fn("VenueModes.audited")(function* (result: Audited) {
          const auditedAtMillis = yield* Clock.currentTimeMillis
          const { difference, fault } = result
          yield* sql`
            update venue_mode
            set audited_at = ${new Date(auditedAtMillis)}, fault = ${storableOrNull(fault)}, difference = ${storableOrNull(difference)}`
        }, orUnavailable)
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<VenueModes> = Layer.effect(
    VenueModes,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const clock = yield* Clock.Clock
      const hasAuditor = yield* HasAuditor
      const modes = table<VenueMode>()
      const first: VenueMode = {
        trading: "TRADING",
        withdrawals: "OPEN",
        reason: "",
        publicReason: null,
        changedBy: venue,
        changedAtMillis: clock.currentTimeMillisUnsafe(),
        auditedAtMillis: null,
        fault: null,
        difference: null
      }
      const now = () => modes.get(only) ?? first
      const held = heldFrom(clock, hasAuditor)
      const { notify, watchAudits } = makeObservers()
      const set = (change: Partial<VenueMode>) => modes.set(only, { ...now(), ...change })
      const changed = (change: Partial<VenueMode>, { by, publicReason = null, reason }: Change, isNew: () => boolean) =>
        transaction(
          Effect.map(Clock.currentTimeMillis, (changedAtMillis) => {
            if (!isNew()) return false
            set({ ...change, reason, publicReason, changedBy: by, changedAtMillis })
            return true
          })
        )
      return VenueModes.of({
        now,
        watchAudits,
        mayWithdraw: () => held(now()).withdrawals === "OPEN",
        read: Effect.sync(now),
        inForce: Effect.sync(() => held(now())),
        halt: (change) =>
          Effect.tap(
            changed(halted, change, () => now().trading !== "HALTED"),
            (isNew) =>
              isNew || (change.publicReason ?? null) === null
                ? Effect.void
                : transaction(Effect.sync(() => set({ publicReason: change.publicReason! })))
          ),
        blockWithdrawals: (change) => changed(blocked, change, () => now().withdrawals !== "BLOCKED"),
        resume: Effect.fnUntraced(function* (
          step: VenueStep,
          { by, publicReason = null, reason }: Change,
          allowed: Allowed = Effect.void
        ) {
          yield* allowed
          const changedAtMillis = yield* Clock.currentTimeMillis
          const why = obstacle(now(), step, changedAtMillis)
          if (why !== undefined) return yield* new NotResumable({ why })
          set({ ...stepped(step), reason, publicReason, changedBy: by, changedAtMillis })
          return now()
        }, transaction),
        audited: (result) =>
          transaction(
            Effect.map(Clock.currentTimeMillis, (auditedAtMillis) => set({ ...result, auditedAtMillis }))
          ).pipe(Effect.tap(() => Effect.sync(notify)))
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

const pollEvery = "500 millis"
/** Time limit of a poll. After a timeout, the next poll uses another connection. */
const giveUpAfter = "2 seconds"
/** Age above which the cached mode is not trusted. */
const maxAgeMillis = 3_000

const only = "only"
const halted = { trading: "HALTED", withdrawals: "BLOCKED" } as const
const blocked = { withdrawals: "BLOCKED" } as const

const makeObservers = () => {
  const observers = new Set<() => void>()
  return {
    notify: () => {
      for (const observe of observers) observe()
    },
    watchAudits: (observe: () => void) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => observers.add(observe)),
          () => Effect.sync(() => observers.delete(observe))
        )
      )
  }
}

const heldFrom =
  (clock: Clock.Clock, hasAuditor: boolean) =>
  (mode: VenueMode): VenueMode =>
    hasAuditor ? inForce(mode, clock.currentTimeMillisUnsafe()) : mode

const recorded = ({ by, publicReason = null, reason }: Change, changedAtMillis: number) => ({
  reason: storable(reason),
  publicReason: storableOrNull(publicReason),
  changedBy: by,
  changedAtMillis
})

const storableOrNull = (value: string | null): string | null => (value === null ? null : storable(value))
