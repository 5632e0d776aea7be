/** How a fill came about: on the book or off it, and by whose will. */
import { Schema } from "effect"
import type { Order } from "./Order.ts"

/** The venue made the fill to end a position, on the book, off it, or against those on the other side (rule 9). */
export const Liquidation = Schema.Literals(["NONE", "ORDERBOOK", "OFF_BOOK", "ADL"])
export type Liquidation = typeof Liquidation.Type

export const ExecutionType = Schema.Literals(["NEW", "LIQUIDATION", "ADL", "SETTLEMENT"])
export type ExecutionType = typeof ExecutionType.Type

/** Why a trade was made off the book: a provider took a position over, others were deleveraged, or the contract ended. */
export const OffBook = Schema.Literals(["TAKEOVER", "DELEVERAGING", "SETTLEMENT"])
export type OffBook = typeof OffBook.Type

export const liquidationOf = (offBook: OffBook | undefined, { origin }: Pick<Order, "origin">): Liquidation => {
  switch (offBook) {
    case undefined:
      return origin === "LIQUIDATION" ? "ORDERBOOK" : "NONE"
    case "TAKEOVER":
      return "OFF_BOOK"
    case "DELEVERAGING":
      return "ADL"
    case "SETTLEMENT":
      return "NONE"
  }
}

export const executionTypeOf = (offBook: OffBook | undefined, { origin }: Pick<Order, "origin">): ExecutionType => {
  switch (offBook) {
    case undefined:
      return origin === "LIQUIDATION" ? "LIQUIDATION" : "NEW"
    case "TAKEOVER":
      return "LIQUIDATION"
    case "DELEVERAGING":
      return "ADL"
    case "SETTLEMENT":
      return "SETTLEMENT"
  }
}
