/** Outstanding replies to commands and queries. `CommandHandler` creates them, and `Replies` keeps their order. */
import type { Submission } from "@venue/cluster/protocol/Desk"
import { MarketSymbol } from "@venue/domain/MarketSymbol"

export type ExpectedReply = ExpectedOrder | ExpectedAcknowledgement | ExpectedQuery

/** A reply that the gateway produces itself. It still waits for earlier replies on the command's symbol. */
export interface Answered {
  readonly _tag: "Answered"
  /** Frame to send, or an empty string if there is nothing to send. */
  readonly frame: string
}

/**
 * Reply to an order, modify or cancel command. The command is sent at once, and the market's log or the desk supplies
 * the reply.
 */
export interface ExpectedOrder {
  readonly _tag: "Order"
  /** "none" for an unlisted symbol, because the desk then replies in no particular order. */
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
 * Reply to a cancel-all or stop command. The command is sent to its desk at once. The acknowledgement waits for every
 * earlier reply, and the command's order responses wait for the acknowledgement.
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

export interface ExpectedQuery {
  readonly _tag: "Query"
  /**
   * Earlier replies that must be sent before the query runs: those on its symbol, those on all symbols, or no
   * replies.
   */
  readonly ordering: "bySymbol" | "afterAll" | "none"
  readonly commandId: string
  readonly symbol: MarketSymbol
  readonly request: string
  /** Runs the query. Must call `answer` exactly once: later replies might wait for it. An empty frame is not sent. */
  readonly run: (answer: (frame: string) => void) => void
}

/** Members of a query without ordering. */
export const unordered = {
  _tag: "Query",
  ordering: "none",
  commandId: "",
  symbol: MarketSymbol.make("")
} as const
