/** The levels of one book, in the order of their prices, as they change. */
import type { Level } from "@venue/domain/Market"
import type { Side } from "@venue/domain/Order"

/** A total of one price: ticks and lots. */
export type PriceLevel = Pick<Level, "priceTicks" | "quantityLots">

export interface Depth {
  /** Undefined while nobody rests on that side. */
  readonly best: (side: Side) => PriceLevel | undefined
  /** The best comes first. */
  readonly levels: (side: Side) => Iterable<PriceLevel>
  readonly update: (changed: ReadonlyArray<Level>) => void
  /** These are all the levels there are. */
  readonly reset: (all: ReadonlyArray<Level>) => void
}

/** The best level is the last, as most changes are near it, so that little moves when one comes or goes. */
interface Ladder {
  /** Prices, negative for sells, so that the best is the greatest on both sides. */
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

/** A level without lots is gone. */
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
