/** The price levels of one book, ordered by price. */
import type { Level } from "@venue/domain/Market"
import type { Side } from "@venue/domain/Order"

/** Total quantity resting at one price. */
export type PriceLevel = Pick<Level, "priceTicks" | "quantityLots">

export interface Depth {
  /** Returns the best level, or undefined while the side is empty. */
  readonly best: (side: Side) => PriceLevel | undefined
  /** Iterates the levels of a side, best price first. */
  readonly levels: (side: Side) => Iterable<PriceLevel>
  /** Replaces the totals of these levels; a total of 0 removes its level. */
  readonly update: (changed: ReadonlyArray<Level>) => void
  readonly reset: (all: ReadonlyArray<Level>) => void
}

/** Levels of one side, best price last, because most changes are near the best price and then move few entries. */
interface Ladder {
  /** Prices in ticks, negated for sells, so that the best price is the greatest number on both sides. */
  readonly ranks: Array<number>
  readonly lots: Array<number>
}

export const make = (): Depth => {
  const ladders: Record<Side, Ladder> = { BUY: { ranks: [], lots: [] }, SELL: { ranks: [], lots: [] } }
  const update: Depth["update"] = (changed) => {
    for (const { priceTicks, quantityLots, side } of changed) {
      put(ladders[side], rankOf(side, priceTicks), quantityLots)
    }
  }
  const levelAt = (side: Side, at: number): PriceLevel => {
    const { lots, ranks } = ladders[side]
    return { priceTicks: Math.abs(ranks[at]!), quantityLots: lots[at]! }
  }
  return {
    best: (side) => {
      const { length } = ladders[side].ranks
      return length === 0 ? undefined : levelAt(side, length - 1)
    },
    levels: function* (side) {
      for (let at = ladders[side].ranks.length - 1; at >= 0; at--) yield levelAt(side, at)
    },
    update,
    reset: (all) => {
      for (const ladder of [ladders.BUY, ladders.SELL]) {
        ladder.ranks.length = 0
        ladder.lots.length = 0
      }
      update(all)
    }
  }
}

const rankOf = (side: Side, priceTicks: number): number => (side === "BUY" ? priceTicks : -priceTicks)

/** Sets the quantity of a level; 0 removes it. */
const put = ({ lots, ranks }: Ladder, rank: number, quantityLots: number): void => {
  const at = firstAtLeast(ranks, rank)
  const isThere = ranks[at] === rank
  if (quantityLots === 0) {
    if (!isThere) return
    ranks.splice(at, 1)
    lots.splice(at, 1)
  } else if (isThere) {
    lots[at] = quantityLots
  } else {
    ranks.splice(at, 0, rank)
    lots.splice(at, 0, quantityLots)
  }
}

const firstAtLeast = (sorted: ReadonlyArray<number>, wanted: number): number => {
  let from = 0
  let to = sorted.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (sorted[middle]! < wanted) from = middle + 1
    else to = middle
  }
  return from
}
