/**
 * The tables of a venue in memory: what a transaction changed is gone again when it fails. A service that keeps some
 * provides this layer to itself; shared as one value, all of one venue have the same transactions.
 */
import { Context, Effect, Exit, Layer, Semaphore } from "effect"

/** Rows by a key of text. Writes belong inside a transaction; reads see what is there now. */
export interface Table<Row> {
  readonly get: (key: string) => Row | undefined
  readonly set: (key: string, row: Row) => void
  readonly delete: (key: string) => void
  /** As they were first written. */
  readonly rows: () => ReadonlyArray<Row>
}

export class MemoryTables extends Context.Service<
  MemoryTables,
  {
    /** A new one; nobody else has it. */
    readonly table: <Row>() => Table<Row>
    /** They run one at a time; a transaction inside another is a part of that one that can fail alone. */
    readonly transaction: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("@venue/postgres/MemoryTables") {
  static readonly layer: Layer.Layer<MemoryTables> = Layer.effect(
    MemoryTables,
    Effect.gen(function* () {
      const turn = yield* Semaphore.make(1)
      let undo: Array<() => void> = []
      let open = false

      const changed = (takeBack: () => void) => {
        if (!open) throw new Error("a row was written outside a transaction")
        undo.push(takeBack)
      }
      const partly = <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Effect.suspend(() => {
          const mark = undo.length
          return Effect.onExit(work, (exit) =>
            Effect.sync(() => {
              if (Exit.isFailure(exit)) for (const takeBack of undo.splice(mark).toReversed()) takeBack()
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
        table: <Row>(): Table<Row> => {
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

/** Whether this fiber is in a transaction already. */
const Inside = Context.Reference<boolean>("@venue/postgres/MemoryTables/Inside", { defaultValue: () => false })
