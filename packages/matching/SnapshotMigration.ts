/** Snapshots that an older release wrote, in the shape that is written now, so that nobody reads a long log after an upgrade. */
import type { Priced } from "@venue/domain/Market"
import { ofFirstShape } from "@venue/domain/Oracle"
import { unsampled } from "./Market.ts"
import * as OrderPool from "./OrderPool.ts"
import type { Totals } from "./Participants.ts"
import { type Orders, type Snapshot, version } from "./Snapshot.ts"

/** Undefined for a version that is no longer known: what it held is read from the log. */
export const migrated = (stored: unknown): Snapshot | undefined => {
  switch ((stored as { readonly version?: unknown }).version) {
    case version:
      return stored as Snapshot
    case 7:
      return from7(stored as Version7)
    case 6:
      return from7(from6(stored as Version6))
    default:
      return undefined
  }
}

/** Every market traded, there was no funding and no dividend, and the number of an order's builder code stood among its traits. */
interface Version7 extends Omit<
  Snapshot,
  "version" | "totals" | "sampling" | "tradingState" | "lastDividendDay" | "prices"
> {
  readonly version: 7
  readonly prices: Omit<Priced, "freshMarkE8"> | null
  readonly totals: Omit<Totals, "reserveFund">
}

function from7(stored: Version7): Snapshot {
  return {
    ...stored,
    version,
    prices: stored.prices && { ...stored.prices, freshMarkE8: stored.prices.markE8 },
    tradingState: "TRADING",
    lastDividendDay: 0,
    totals: { ...stored.totals, reserveFund: 0 },
    sampling: unsampled(),
    orders: { ...stored.orders, words: wordsFrom7(stored.orders) }
  }
}

/** Prices had their first shape. */
interface Version6 extends Omit<Version7, "version" | "prices"> {
  readonly version: 6
  readonly prices: Parameters<typeof ofFirstShape>[0] | null
}

function from6(stored: Version6): Version7 {
  return { ...stored, version: 7, prices: stored.prices && ofFirstShape(stored.prices) }
}

const own7 = 12
const builderShift7 = 12

function wordsFrom7({ clientOrderIds, words }: Orders): Uint8Array {
  // The bytes are copied, since what a decoder hands out may begin where no word can.
  const before = new Int32Array(new Uint8Array(words).buffer)
  const after = new Int32Array(clientOrderIds.length * OrderPool.own)
  clientOrderIds.forEach((_, row) => {
    const order = after.subarray(row * OrderPool.own, (row + 1) * OrderPool.own)
    order.set(before.subarray(row * own7, (row + 1) * own7))
    const traits = order[OrderPool.TRAITS]!
    order[OrderPool.TRAITS] = traits & ((1 << builderShift7) - 1)
    order[OrderPool.BUILDER] = traits >>> builderShift7
  })
  return new Uint8Array(after.buffer)
}
