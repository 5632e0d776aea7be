/** Recoveries from restores that lost rows: missing rows, decisions of operators, and progress. */
import { credentialsFrom, type Loss, nextOf, RecoveryState, type WitnessedFact } from "@venue/domain/Recovery"
import { bigint, boolean, integer, of, orNull, text, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import * as LossTable from "./LossTable.ts"

const recoveryTable = Table.make("recovery", {
  recoveryId: integer,
  state: of("text", RecoveryState),
  /** Name of the node whose comparison found the first loss. */
  foundBy: text,
  foundAtMillis: timestamptz,
  acceptedAtMillis: orNull(timestamptz),
  credentialsFromMillis: orNull(timestamptz),
  doneAtMillis: orNull(timestamptz)
})
export type Recovery = Table.Row<typeof recoveryTable>

const factTable = Table.make("recovery_fact", {
  recoveryId: integer,
  kind: of("text", Schema.Literals(["user", "key"])),
  subject: text,
  number: bigint,
  isRestricted: boolean
})

const decisionTable = Table.make("recovery_decision", {
  recoveryId: integer,
  operator: text,
  reason: text,
  decidedAtMillis: timestamptz
})
export type RecoveryDecision = Table.Row<typeof decisionTable>

/** Result of a node's comparison. */
export interface Finding {
  readonly losses: ReadonlyArray<Loss>
  /** Restrictions that the database lacks. */
  readonly facts: ReadonlyArray<WitnessedFact>
}

type Result<A> = Effect.Effect<A, DatabaseUnavailable>

export class Recoveries extends Context.Service<
  Recoveries,
  {
    /** Returns the recovery that is next: an ACCEPTED one, then the OPEN one, then the oldest that is not DONE. */
    readonly pending: Result<Option.Option<Recovery>>
    /**
     * Adds to the OPEN recovery, or opens a new recovery. If that changes what its operators saw, deletes their decisions.
     */
    readonly report: (found: Finding, node: string) => Result<Recovery>
    readonly totals: LossTable.LossTable["totals"]
    readonly losses: LossTable.LossTable["page"]
    readonly unskipped: LossTable.LossTable["unskipped"]
    readonly skipped: LossTable.LossTable["skipped"]
    readonly facts: (recoveryId: number) => Result<ReadonlyArray<WitnessedFact>>
    /** Returns the decisions, oldest first. */
    readonly decisions: (recoveryId: number) => Result<ReadonlyArray<RecoveryDecision>>
    /**
     * Records a decision in place of the operator's earlier one. Locks the recovery until the transaction ends.
     * Returns an OPEN recovery, and nothing in another state.
     */
    readonly decide: (decision: Omit<RecoveryDecision, "decidedAtMillis">) => Result<Option.Option<Recovery>>
    /** Moves a recovery to its next state; returns false if it is not in the state `from`. */
    readonly advance: (recoveryId: number, from: Exclude<RecoveryState, "DONE">) => Result<boolean>
  }
>()("@venue/storage/recovery/Recoveries") {
  static readonly layer: Layer.Layer<Recoveries, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    Recoveries,
    Effect.flatMap(SqlClient.SqlClient, (sql) => make(LossTable.onSql(sql)))
  ).pipe(Layer.provide(Store.Stores.layer))

  static readonly layerMemory: Layer.Layer<Recoveries> = Layer.effect(
    Recoveries,
    Effect.flatMap(MemoryTables, (tables) => make(LossTable.inMemory(tables)))
  ).pipe(Layer.provide([MemoryTables.layer, Store.Stores.layerMemory]))
}

const make = Effect.fnUntraced(function* (losses: LossTable.LossTable) {
  const recoveries = yield* Store.make(recoveryTable, { key: ["recoveryId"], order: { recoveryId: "desc" } })
  const facts = yield* Store.make(factTable, { key: ["recoveryId", "kind", "subject"] })
  const decisions = yield* Store.make(decisionTable, {
    key: ["recoveryId", "operator"],
    order: { decidedAtMillis: "asc", operator: "asc" }
  })
  const newest = Effect.map(recoveries.list({}, 1), ([recovery]) => recovery)

  /** Returns the open recovery with a lock, or a new one. A node that reports at the same time might insert it first. */
  const open = (node: string): Result<Recovery> =>
    Effect.gen(function* () {
      const last = yield* newest
      if (last?.state === "OPEN") {
        const locked = yield* recoveries.find({ recoveryId: last.recoveryId, state: "OPEN" }, "no key update")
        return Option.isSome(locked) ? locked.value : yield* open(node)
      }
      const recovery: Recovery = {
        recoveryId: (last?.recoveryId ?? 0) + 1,
        state: "OPEN",
        foundBy: node,
        foundAtMillis: yield* Clock.currentTimeMillis,
        acceptedAtMillis: null,
        credentialsFromMillis: null,
        doneAtMillis: null
      }
      return (yield* recoveries.insert(recovery)) ? recovery : yield* open(node)
    })

  /** Adds a restriction, unless a later one of its subject is known. Returns whether the restrictions changed. */
  const add = Effect.fnUntraced(function* (recoveryId: number, fact: WitnessedFact) {
    const { kind, subject } = fact
    let isChanged = false
    yield* facts.modify({ recoveryId, kind, subject }, (before) => {
      if (before !== undefined && before.number >= fact.number) return undefined
      isChanged = before?.isRestricted !== fact.isRestricted
      return { recoveryId, ...fact }
    })
    return isChanged
  })

  return Recoveries.of({
    pending: Effect.map(recoveries.list({ state: Store.oneOf(unfinished) }), (all) =>
      Option.fromUndefinedOr(nextOf(all))
    ),
    report: Effect.fn("Recoveries.report")(function* (found: Finding, node: string) {
      const recovery = yield* open(node)
      const { recoveryId } = recovery
      const before = yield* losses.totals(recoveryId)
      yield* losses.put(recoveryId, found.losses)
      const after = yield* losses.totals(recoveryId)
      let isChanged = after.streams > before.streams || after.missingRows > before.missingRows
      for (const fact of found.facts) if (yield* add(recoveryId, fact)) isChanged = true
      if (isChanged) yield* decisions.remove({ recoveryId })
      return recovery
    }, recoveries.transaction),
    totals: losses.totals,
    losses: losses.page,
    unskipped: losses.unskipped,
    skipped: losses.skipped,
    facts: (recoveryId) => facts.list({ recoveryId }),
    decisions: (recoveryId) => decisions.list({ recoveryId }),
    decide: Effect.fn("Recoveries.decide")(function* (decision: Omit<RecoveryDecision, "decidedAtMillis">) {
      const { recoveryId } = decision
      const recovery = yield* recoveries.find({ recoveryId, state: "OPEN" }, "no key update")
      if (Option.isSome(recovery))
        yield* decisions.put({ ...decision, decidedAtMillis: yield* Clock.currentTimeMillis })
      return recovery
    }),
    advance: Effect.fn("Recoveries.advance")(function* (recoveryId: number, from: Exclude<RecoveryState, "DONE">) {
      const nowMillis = yield* Clock.currentTimeMillis
      const before = yield* recoveries.find({ recoveryId, state: from }, "no key update")
      if (Option.isNone(before)) return false
      return Option.isSome(yield* recoveries.update({ recoveryId, state: from }, next(before.value, nowMillis)))
    }, recoveries.transaction)
  })
})

const unfinished: ReadonlyArray<RecoveryState> = RecoveryState.literals.filter((state) => state !== "DONE")

const next = ({ foundAtMillis, state }: Recovery, nowMillis: number): Partial<Recovery> => {
  if (state === "OPEN") {
    const credentialsFromMillis = credentialsFrom(foundAtMillis, nowMillis)
    return { state: "ACCEPTED", acceptedAtMillis: nowMillis, credentialsFromMillis }
  }
  return state === "ACCEPTED" ? { state: "CANCELLING" } : { state: "DONE", doneAtMillis: nowMillis }
}
