/** Classification of a fill: on or off the book, and its cause. */
import { Schema } from "effect"
import type { Order } from "./Order.ts"

/** How a liquidation produced the fill: on the book, by a takeover off the book, or by auto-deleveraging (rule 9). */
export const Liquidation = Schema.Literals(["NONE", "ORDERBOOK", "OFF_BOOK", "ADL"])
export type Liquidation = typeof Liquidation.Type

/** Execution type on the wire; `NEW` is an ordinary trade. */
export const ExecutionType = Schema.Literals(["NEW", "LIQUIDATION", "ADL", "SETTLEMENT"])
export type ExecutionType = typeof ExecutionType.Type

/** Cause of a trade off the book: a liquidity provider's takeover, auto-deleveraging, or settlement of the contract. */
export const OffBook = Schema.Literals(["TAKEOVER", "DELEVERAGING", "SETTLEMENT"])
export type OffBook = typeof OffBook.Type

/** Returns the `liquidation` value of a fill; `offBook` is undefined for a trade on the book. */
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

/** Returns the execution type of a fill; `offBook` is undefined for a trade on the book. */
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
