/** Replies that a command or query leaves outstanding. `CommandHandler` creates them, and `Replies` keeps their order. */
import type { Submission } from "@venue/cluster/protocol/Desk"
import { MarketSymbol } from "@venue/domain/MarketSymbol"

export type ExpectedReply = ExpectedOrder | ExpectedAcknowledgement | ExpectedQuery

/** A reply that the gateway found by itself. It still waits for the earlier replies of the command's symbol. */
export interface Answered {
  readonly _tag: "Answered"
  /** Frame to send; empty for none. */
  readonly frame: string
}

/** Reply to an order, a modify or a cancel: sent to its desk at once, and answered by the market's log or by the desk. */
export interface ExpectedOrder {
  readonly _tag: "Order"
  /** "none" for a symbol that is not listed: the desk answers, in no order with other replies. */
  readonly ordering: "bySymbol" | "none"
  readonly commandId: string
  readonly symbol: MarketSymbol
  /** Frame of the command, echoed by an error reply. */
  readonly request: string
  /** Time after which the outcome is reported as unknown. */
  readonly dueMillis: number
  readonly submission: Submission
}

/**
 * Reply to a cancel of all orders or a stop command: sent to its desk at once. Its acknowledgement waits for every earlier reply,
 * and its order responses wait for the acknowledgement.
 */
export interface ExpectedAcknowledgement {
  readonly _tag: "Acknowledgement"
  readonly commandId: string
  /** Empty for a cancel of the orders of all symbols, and for a stop command without a symbol. */
  readonly symbol: MarketSymbol
  readonly request: string
  readonly dueMillis: number
  readonly submission: Submission
  readonly isOfStop: boolean
}

/** Reply to a query. */
export interface ExpectedQuery {
  readonly _tag: "Query"
  /** Replies that must be sent before the query runs: those of its symbol, those of all symbols, or none. */
  readonly ordering: "bySymbol" | "afterAll" | "none"
  readonly commandId: string
  readonly symbol: MarketSymbol
  readonly request: string
  /** Runs the query. Must call `answer` exactly once, since later replies may wait; an empty frame is not sent. */
  readonly run: (answer: (frame: string) => void) => void
}

/** Members of a query without ordering. */
export const unordered = {
  _tag: "Query",
  ordering: "none",
  commandId: "",
  symbol: MarketSymbol.make("")
} as const
