/** What the whole venue lets in is one row: the auditor and those who run the venue change it, and every node heeds it. */
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

/** This step is not to be taken now. */
export class NotResumable extends Schema.TaggedError<NotResumable>()("NotResumable", { why: Schema.String }) {}

/** Whoever changes it, for the record. */
export interface Change {
  readonly by: string
  readonly reason: string
  /** What traders read of it; left out or null where they read nothing. */
  readonly publicReason?: string | null | undefined
}

export type Audited = Pick<VenueMode, "fault" | "difference">

/** Where nobody audits, as in a venue in memory, silence of the auditor blocks nothing. */
export const HasAuditor = Context.Reference<boolean>("@venue/storage/access/HasAuditor", { defaultValue: () => true })

export class VenueModes extends Context.Service<
  VenueModes,
  {
    /** As this node knows it: half a second late at most, while it reaches the database. */
    readonly now: () => VenueMode
    /** Says whether money may leave, as far as this node knows; what it has not heard of for seconds it does not know. */
    readonly mayWithdraw: () => boolean
    /** It is told of each audit until the scope closes: half a second late at most, and of one in place of several at once. */
    readonly watchAudits: (observe: () => void) => Effect.Effect<void, never, Scope.Scope>
    /** The stored mode. */
    readonly read: Effect.Effect<VenueMode, DatabaseUnavailable>
    /** The stored mode, with withdrawals BLOCKED and the reason where a recent audit is missing. */
    readonly inForce: Effect.Effect<VenueMode, DatabaseUnavailable>
    /** Answers whether that is new: a venue that is halted keeps its first reason, and takes a new one for traders. */
    readonly halt: (change: Change) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Answers whether that is new. */
    readonly blockWithdrawals: (change: Change) => Effect.Effect<boolean, DatabaseUnavailable>
    /** One step back to what it was. */
    readonly resume: (step: VenueStep, change: Change) => Effect.Effect<VenueMode, NotResumable | DatabaseUnavailable>
    /** An audit is over: it is the auditor's sign of life, and what steps back rest on. */
    readonly audited: (found: Audited) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@venue/storage/access/VenueModes") {
  static readonly layer: Layer.Layer<VenueModes, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    VenueModes,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const clock = yield* Clock.Clock
      const hasAuditor = yield* HasAuditor
      const only = Effect.map(modeTable.all(sql`select ${modeTable.columns} from venue_mode`), ([row]) => row!)
      const { tell, watchAudits } = audience()
      let [mode, heardMillis] = [yield* only, clock.currentTimeMillisUnsafe()]
      const held = heldFrom(clock, hasAuditor)
      const hear = Effect.suspend(() => {
        const askedMillis = clock.currentTimeMillisUnsafe()
        return Effect.map(only, (row) => {
          const isAudited = row.auditedAtMillis !== mode.auditedAtMillis
          mode = row
          heardMillis = askedMillis
          if (isAudited) tell()
          return row
        })
      })
      yield* GivenUp.afterByMachineClock(giveUpAfter)(hear).pipe(
        Effect.catchCause((cause) =>
          DatabaseOutage.report(cause, Effect.logWarning("what the venue lets in could not be read", cause))
        ),
        Effect.repeat(Schedule.spaced(pollEvery)),
        Effect.forkScoped
      )
      const changed = Effect.fnUntraced(function* (change: Partial<VenueMode>, by: Change, where: Fragment) {
        const changedAtMillis = yield* Clock.currentTimeMillis
        const set = modeTable.set({ ...change, ...recorded(by, changedAtMillis) })
        const rows = yield* sql`update venue_mode set ${set} where ${where} returning 1`
        yield* hear
        return rows.length > 0
      })

      return VenueModes.of({
        now: () => mode,
        watchAudits,
        mayWithdraw: () => {
          const nowMillis = clock.currentTimeMillisUnsafe()
          return nowMillis - heardMillis < unheardMillis && held(mode).withdrawals === "OPEN"
        },
        read: orUnavailable(hear),
        inForce: orUnavailable(Effect.map(hear, held)),
        halt: Effect.fn("VenueModes.halt")(function* (change: Change) {
          const isNew = yield* changed(halted, change, sql`trading <> 'HALTED'`)
          if (isNew || (change.publicReason ?? null) === null) return isNew
          yield* sql`update venue_mode set public_reason = ${told(change.publicReason!)}`
          yield* hear
          return false
        }, orUnavailable),
        blockWithdrawals: Effect.fn("VenueModes.blockWithdrawals")(
          (change: Change) => changed(blocked, change, sql`withdrawals <> 'BLOCKED'`),
          orUnavailable
        ),
        resume: Effect.fn("VenueModes.resume")(
          function* (step: VenueStep, by: Change) {
            const [before] = yield* modeTable.all(sql`select ${modeTable.columns} from venue_mode for update`)
            const changedAtMillis = yield* Clock.currentTimeMillis
            const why = obstacle(before!, step, changedAtMillis)
            if (why !== undefined) return yield* new NotResumable({ why })
            const change = { ...stepped(step), ...recorded(by, changedAtMillis) }
            yield* sql`update venue_mode set ${modeTable.set(change)}`
            return yield* hear
          },
          sql.withTransaction,
          orUnavailable
        ),
        audited: Effect.fn("VenueModes.audited")(function* (found: Audited) {
          const auditedAtMillis = yield* Clock.currentTimeMillis
          const { difference, fault } = found
          yield* sql`
            update venue_mode
            set audited_at = ${new Date(auditedAtMillis)}, fault = ${told(fault)}, difference = ${told(difference)}`
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
      const { tell, watchAudits } = audience()
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
        resume: Effect.fnUntraced(function* (step: VenueStep, { by, publicReason = null, reason }: Change) {
          const changedAtMillis = yield* Clock.currentTimeMillis
          const why = obstacle(now(), step, changedAtMillis)
          if (why !== undefined) return yield* new NotResumable({ why })
          set({ ...stepped(step), reason, publicReason, changedBy: by, changedAtMillis })
          return now()
        }, transaction),
        audited: (found) =>
          transaction(
            Effect.map(Clock.currentTimeMillis, (auditedAtMillis) => set({ ...found, auditedAtMillis }))
          ).pipe(Effect.tap(() => Effect.sync(tell)))
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

const pollEvery = "500 millis"
/** A poll that hangs so long is given up, and the next takes another connection. */
const giveUpAfter = "2 seconds"
/** What was not read for so long may be otherwise. */
const unheardMillis = 3_000

const only = "only"
const halted = { trading: "HALTED", withdrawals: "BLOCKED" } as const
const blocked = { withdrawals: "BLOCKED" } as const

const audience = () => {
  const observers = new Set<() => void>()
  return {
    tell: () => {
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
  publicReason: told(publicReason),
  changedBy: by,
  changedAtMillis
})

const told = (found: string | null): string | null => (found === null ? null : storable(found))
