/** All of a venue's tables and logs as one layer, on Postgres or in memory. */
import { Journal } from "@venue/journal/Journal"
import { Layer } from "effect"
import * as AccessTables from "./access/AccessTables.ts"
import * as AlarmTables from "./alarms/AlarmTables.ts"
import { ReadTables } from "./history/ReadTables.ts"
import { Listings } from "./listing/Listings.ts"
import { FuturesReference } from "./prices/FuturesReference.ts"
import * as TreasuryTables from "./treasury/TreasuryTables.ts"

const readTables = Layer.mergeAll(ReadTables.layer, FuturesReference.layer, Listings.layer)
const accessTables = Layer.mergeAll(AccessTables.layer, TreasuryTables.layer, AlarmTables.layer)

/**
 * Storage on Postgres. Each use has its own connection pool, so that a flood of reads or sign-ins leaves the
 * journal's connections free: `tables` serves history and reference reads; `access` serves users, keys, the
 * treasury and alarms.
 */
export const layer = <A, E, R>(pools: Readonly<Record<"journal" | "tables" | "access", Layer.Layer<A, E, R>>>) =>
  Layer.mergeAll(
    Layer.provide(Journal.layer, pools.journal),
    Layer.provide(readTables, pools.tables),
    Layer.provide(accessTables, pools.access)
  )

export const layerMemory = <E, R>(journal: Layer.Layer<Journal, E, R>) =>
  Layer.mergeAll(ReadTables.layerMemory, FuturesReference.layerMemory, Listings.layerMemory).pipe(
    Layer.merge(AlarmTables.layerMemory),
    Layer.merge(TreasuryTables.layerMemory.pipe(Layer.provideMerge(Layer.merge(AccessTables.layerMemory, journal))))
  )
