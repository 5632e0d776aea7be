/** What a command leaves to be answered. The command handler says so, and the replies of the connection keep the order. */
import type { Submission } from "@venue/cluster/protocol/Desk"
import { MarketSymbol } from "@venue/domain/MarketSymbol"

export type ExpectedReply = ExpectedOrder | ExpectedAcknowledgement | ExpectedQuery

/** The answer was found on the spot. It is told at its turn all the same, where the command names a symbol. */
export interface Answered {
  readonly _tag: "Answered"
  /** It is empty where there is nothing to say. */
  readonly frame: string
}

/** An order, its change or its cancel leaves at once; its market's log or its desk answers it. */
export interface ExpectedOrder {
  readonly _tag: "Order"
  readonly ordering: "bySymbol" | "none"
  readonly commandId: string
  readonly symbol: MarketSymbol
  /** This is the frame it came as, for the error that may be its answer. */
  readonly request: string
  /** When no answer has come by then, its outcome is unknown. */
  readonly dueMillis: number
  readonly submission: Submission
}

/**
 * A cancel of all orders, or a command about a stop, leaves at once too. It is acknowledged after all that came before it
 * is answered, and then told.
 */
export interface ExpectedAcknowledgement {
  readonly _tag: "Acknowledgement"
  readonly commandId: string
  /** It is empty where orders of all symbols are cancelled, or a stop whose symbol was not said. */
  readonly symbol: MarketSymbol
  readonly request: string
  readonly dueMillis: number
  readonly submission: Submission
  readonly isOfStop: boolean
}

/** A query is asked when all before it is answered, or at once where it keeps no order. */
export interface ExpectedQuery {
  readonly _tag: "Query"
  readonly ordering: "bySymbol" | "afterAll" | "none"
  readonly commandId: string
  readonly symbol: MarketSymbol
  readonly request: string
  /** The answer has to come: others may wait behind it. An empty one is not sent. */
  readonly ask: (answer: (frame: string) => void) => void
}

/** Most queries keep no order with others. */
export const unordered = {
  _tag: "Query",
  ordering: "none",
  commandId: "",
  symbol: MarketSymbol.make("")
} as const
