/** Snapshots that an older release wrote, in the shape that is written now, so that nobody reads a long log after an upgrade. */
import type { AccountId } from "@venue/domain/AccountId"
import { noHolders } from "@venue/domain/Holders"
import type { Priced } from "@venue/domain/Market"
import { fromFirstVersion } from "@venue/domain/Oracle"
import { unsampled } from "@venue/domain/Sampling"
import { sampled, unsampled as noOracle } from "@venue/domain/Settlement"
import type { UserId } from "@venue/domain/UserId"
import { never } from "../prices/Alarms.ts"
import { noneLiquidated } from "../Market.ts"
import * as OrderPool from "../book/OrderPool.ts"
import type { Totals } from "./Participants.ts"
import { type Orders, type Snapshot, version } from "./Snapshot.ts"
import * as StopSnapshot from "../stops/StopSnapshot.ts"

/** Undefined for a version that is no longer known: what it held is read from the log. */
export const migrated = (stored: unknown): Snapshot | undefined => {
  switch ((stored as { readonly version?: unknown }).version) {
    case version:
      return stored as Snapshot
    case 5:
      return from5(stored as Version5)
    default:
      return undefined
  }
}

/**
 * Every market traded, there were no stops, no TWAPs, no funding, no liquidation, no dividend and no share of a fee, prices had their first shape and no units in their names, and
 * the number of an order's builder code stood among its traits.
 */
interface Version5 extends Omit<
  Snapshot,
  | "version"
  | "totals"
  | "sampling"
  | "tradingState"
  | "since"
  | "oracleSamples"
  | "settlementTicks"
  | "lastDividendDay"
  | "limits"
  | "lastSplitDay"
  | "lastSplitMillis"
  | "topUps"
  | "holders"
  | "lastPriceTicks"
  | "stops"
  | "twaps"
  | "prices"
  | "accounts"
  | "builders"
  | "takeovers"
  | "liquidated"
> {
  readonly version: 5
  readonly lastPrice: number
  readonly accounts: ReadonlyArray<readonly [AccountId, UserId, number, number, number, number, number]>
  readonly prices: Prices5 | null
  readonly totals: Omit<Totals, "reserveFund" | "toppedUp">
}

interface Prices5 {
  readonly oracle: number
  readonly mark: number
  readonly premium: number
  readonly lower: number
  readonly upper: number
  readonly minPrice: number
  readonly maxPrice: number
  readonly limitShareBps: number
  readonly atMillis: number
}

function from5({ lastPrice, prices, ...stored }: Version5): Snapshot {
  return {
    ...stored,
    accounts: stored.accounts.map((account) => [...account, 0] as const),
    builders: [],
    takeovers: [],
    liquidated: noneLiquidated,
    version,
    lastPriceTicks: lastPrice,
    prices: prices && pricesFrom5(prices),
    stops: StopSnapshot.none,
    twaps: [],
    tradingState: "TRADING",
    since: never(),
    oracleSamples: prices === null ? noOracle : sampled(noOracle, undefined, prices.atMillis),
    settlementTicks: 0,
    lastDividendDay: 0,
    limits: null,
    lastSplitDay: 0,
    lastSplitMillis: 0,
    topUps: [],
    holders: noHolders,
    totals: { ...stored.totals, reserveFund: 0, toppedUp: 0 },
    sampling: unsampled,
    orders: { ...stored.orders, brackets: [], words: wordsFrom5(stored.orders) }
  }
}

function pricesFrom5(prices: Prices5): Priced {
  return fromFirstVersion({
    _tag: "Priced",
    oracleE8: prices.oracle,
    markE8: prices.mark,
    premiumE8: prices.premium,
    lowerTicks: prices.lower,
    upperTicks: prices.upper,
    minPriceTicks: prices.minPrice,
    maxPriceTicks: prices.maxPrice,
    limitShareBps: prices.limitShareBps,
    atMillis: prices.atMillis
  })
}

const own5 = 12
const builderShift5 = 12

function wordsFrom5({ clientOrderIds, words }: Orders): Uint8Array {
  // The bytes are copied, since what a decoder hands out may begin where no word can.
  const before = new Int32Array(new Uint8Array(words).buffer)
  const after = new Int32Array(clientOrderIds.length * OrderPool.own)
  clientOrderIds.forEach((_, row) => {
    const order = after.subarray(row * OrderPool.own, (row + 1) * OrderPool.own)
    order.set(before.subarray(row * own5, (row + 1) * own5))
    const traits = order[OrderPool.TRAITS]!
    order[OrderPool.TRAITS] = traits & ((1 << builderShift5) - 1)
    order[OrderPool.BUILDER] = traits >>> builderShift5
  })
  return new Uint8Array(after.buffer)
}
