/**
 * In-memory tables with transactions that can roll back. A service provides this layer to itself. Because the layer
 * is one shared value, all of a venue's services use the same transactions.
 */
import { Context, Effect, Exit, Layer, Semaphore } from "effect"

/** A table with text keys. Writes are allowed only inside a transaction, and reads see uncommitted rows. */
export interface MemoryTable<Row> {
  readonly get: (key: string) => Row | undefined
  readonly set: (key: string, row: Row) => void
  readonly delete: (key: string) => void
  /** Returns the rows in the order in which they were first written. */
  readonly rows: () => ReadonlyArray<Row>
}

export class MemoryTables extends Context.Service<
  MemoryTables,
  {
    /** Makes a new table that only the caller can access. */
    readonly table: <Row>() => MemoryTable<Row>
    /** Runs one transaction at a time. A nested transaction is a savepoint of the outer transaction. */
    readonly transaction: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("@venue/postgres/MemoryTables") {
  static readonly layer: Layer.Layer<MemoryTables> = Layer.effect(
    MemoryTables,
    Effect.gen(function* () {
      const turn = yield* Semaphore.make(1)
      let undo: Array<() => void> = []
      let open = false

      const changed = (revert: () => void) => {
        if (!open) throw new Error("a row was written outside a transaction")
        undo.push(revert)
      }
      const partly = <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Effect.suspend(() => {
          const mark = undo.length
          return Effect.onExit(work, (exit) =>
            Effect.sync(() => {
              if (Exit.isFailure(exit)) for (const revert of undo.splice(mark).toReversed()) revert()
            })
          )
        })
      const wholly = <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Effect.suspend(() => {
          undo = []
          open = true
          return Effect.ensuring(
            partly(work),
            Effect.sync(() => {
              open = false
            })
          )
        })

      return MemoryTables.of({
        table: <Row>(): MemoryTable<Row> => {
          const rows = new Map<string, Row>()
          const restore = (key: string) => {
            const before = rows.get(key)
            changed(() => (before === undefined ? rows.delete(key) : rows.set(key, before)))
          }
          return {
            get: (key) => rows.get(key),
            set: (key, row) => {
              restore(key)
              rows.set(key, row)
            },
            delete: (key) => {
              restore(key)
              rows.delete(key)
            },
            rows: () => [...rows.values()]
          }
        },
        transaction: (work) =>
          Effect.flatMap(Inside, (inside) =>
            inside ? partly(work) : turn.withPermits(1)(Effect.provideService(wholly(work), Inside, true))
          )
      })
    })
  )
}

/** Whether this fiber is already in a transaction. */
const Inside = Context.Reference<boolean>("@venue/postgres/MemoryTables/Inside", { defaultValue: () => false })
