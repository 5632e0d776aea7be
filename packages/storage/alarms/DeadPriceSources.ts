/** Price sources that send no current price. The node that reads the sources records them. */
import { text, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect } from "effect"

const sourceTable = Table.make("dead_price_source", { name: text, reason: text, sinceMillis: timestamptz })
export type DeadPriceSource = Table.Row<typeof sourceTable>

export class DeadPriceSources extends Context.Service<
  DeadPriceSources,
  {
    /** Records a source as dead. A repeated call replaces the reason and keeps the time. */
    readonly died: (name: string, reason: string) => Effect.Effect<void, DatabaseUnavailable>
    readonly works: (name: string) => Effect.Effect<void, DatabaseUnavailable>
    /** Forgets the sources that are no longer configured. */
    readonly retain: (names: ReadonlyArray<string>) => Effect.Effect<void, DatabaseUnavailable>
    readonly list: Effect.Effect<ReadonlyArray<DeadPriceSource>, DatabaseUnavailable>
  }
>()("@venue/storage/alarms/DeadPriceSources") {
  static readonly layer = Store.layer(DeadPriceSources, () => make)
  static readonly layerMemory = Store.layerMemory(DeadPriceSources, () => make)
}

const make = Effect.gen(function* () {
  const sources = yield* Store.make(sourceTable, { key: ["name"] })
  const works = Effect.fn("DeadPriceSources.works")((name: string) => Effect.asVoid(sources.remove({ name })))
  return DeadPriceSources.of({
    died: Effect.fn("DeadPriceSources.died")(function* (name: string, reason: string) {
      const now = yield* Clock.currentTimeMillis
      yield* sources.modify({ name }, (row) => ({ name, reason, sinceMillis: row?.sinceMillis ?? now }))
    }),
    works,
    retain: Effect.fn("DeadPriceSources.retain")(function* (names: ReadonlyArray<string>) {
      for (const { name } of yield* sources.list({})) if (!names.includes(name)) yield* works(name)
    }),
    list: sources.list({})
  })
})
