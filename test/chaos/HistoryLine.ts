/** Lines of a history: messages that clients sent and received, faults, and final reads. */

/** Unix milliseconds, advanced by the tool's monotonic clock. */
type Moment = number

export interface Listed {
  readonly symbol: string
  readonly tick: number
  readonly lot: number
}

export interface Began {
  readonly kind: "began"
  readonly at: Moment
  readonly seed: number
  /** Multiplier for all time limits, for a busy machine. */
  readonly patience: number
  readonly accounts: ReadonlyArray<string>
  readonly symbols: ReadonlyArray<Listed>
}

/** A connection opened through the gateway `through`. */
export interface Opened {
  readonly kind: "opened"
  readonly at: Moment
  readonly connection: string
  readonly account: string
  readonly through: string
}

export interface Closed {
  readonly kind: "closed"
  readonly at: Moment
  readonly connection: string
  readonly isOurs: boolean
}

export interface Sent {
  readonly kind: "sent"
  readonly at: Moment
  readonly connection: string
  readonly type: string
  readonly params: Readonly<Record<string, unknown>>
}

export interface Received {
  readonly kind: "heard"
  readonly at: Moment
  readonly connection: string
  readonly frame: Frame
}

/** The start or end of a fault. An instantaneous fault has no second line. */
export interface FaultLine {
  readonly kind: "fault"
  readonly at: Moment
  readonly phase: "begin" | "end"
  readonly number: number
  /** For example `kill`, `freeze` or `cut`. */
  readonly fault: string
  /** Names of nodes, or `postgres`. */
  readonly targets: ReadonlyArray<string>
}

/** One account's state, as read through one gateway. */
export interface Read {
  readonly kind: "read"
  readonly at: Moment
  readonly account: string
  readonly through: string
  readonly open: ReadonlyArray<OrderRow>
  readonly trades: ReadonlyArray<FillRow>
  readonly positions: ReadonlyArray<PositionRow>
  readonly balance: BalanceRow
}

export interface TableLine {
  readonly kind: "table"
  readonly at: Moment
  readonly table: "trade" | "ended_order" | "ledger_entry" | "twap"
  readonly rows: ReadonlyArray<Row>
}
/** A database row. Postgres returns large numbers as strings. */
export type Row = Readonly<Record<string, string | number | boolean | null>>

/** The journal's state, by stream and epoch. */
export interface StreamsLine {
  readonly kind: "streams"
  readonly at: Moment
  readonly rows: ReadonlyArray<EpochRow>
}
export interface EpochRow {
  readonly stream: string
  readonly epoch: number
  readonly first: number
  readonly last: number
  readonly count: number
}

/** One signed request, sent to several gateways at once. The status is null if no gateway responded. */
export interface NonceLine {
  readonly kind: "nonce"
  readonly at: Moment
  readonly answers: ReadonlyArray<{ readonly through: string; readonly status: number | null }>
}

/** A builder's replacement of a wallet user's key. `next` is absent if no response arrived. */
export interface KeyLine {
  readonly kind: "key"
  readonly at: Moment
  readonly askedAt: Moment
  readonly outcome: "replaced" | "refused" | "unknown"
  readonly old: string
  readonly next?: string
}

export interface ProbeLine {
  readonly kind: "probe"
  readonly at: Moment
  readonly askedAt: Moment
  readonly key: string
  readonly through: string
  readonly outcome: "good" | "refused" | "unknown"
}

/** A query through one gateway for an order that another gateway acknowledged. */
export interface VisibleLine {
  readonly kind: "visible"
  readonly at: Moment
  readonly askedAt: Moment
  readonly orderId: string
  readonly told: string
  readonly through: string
  readonly outcome: "open" | "missing" | "unknown"
}

/** State of the operator interface and of the accounts, before or after all nodes replayed their logs. */
export interface StateLine {
  readonly kind: "state"
  readonly at: Moment
  readonly pair: number
  readonly phase: "before" | "after"
  readonly sums: Readonly<Record<string, string>>
}

/** State after an episode: the operator interface's proof that the books balance, and the streams whose tables lag. */
export interface ProofLine {
  readonly kind: "proof"
  readonly at: Moment
  readonly episode: number
  readonly isBalanced: boolean
  readonly detail: string
  readonly behind: ReadonlyArray<string>
}

/** A violation that the tool itself detected: a node that did not restart, or a gateway that stopped responding. */
export interface TroubleLine {
  readonly kind: "trouble"
  readonly at: Moment
  readonly what: string
}

export type Line =
  | Began
  | Opened
  | Closed
  | Sent
  | Received
  | FaultLine
  | Read
  | TableLine
  | StreamsLine
  | NonceLine
  | KeyLine
  | ProbeLine
  | VisibleLine
  | StateLine
  | ProofLine
  | TroubleLine

export interface OrderRow {
  readonly order_id: string
  readonly symbol: string
  readonly status: string
  readonly quantity: number
  readonly price: number
  readonly side?: "BUY" | "SELL"
  readonly type?: string
  readonly client_order_id: string
  readonly quantity_remaining: number
  readonly trade_id: string | null
  readonly reduce_only?: boolean
  /** Time at which the venue decided the command, in seconds. */
  readonly update_time?: number
}

export interface FillRow {
  readonly trade_id: string
  readonly order_id: string
  readonly client_order_id: string
  readonly symbol: string
  readonly price: number
  readonly quantity: number
  readonly side: "BUY" | "SELL"
  readonly fee: number
  readonly realised_pnl: number
}

export interface PositionRow {
  readonly symbol: string
  readonly position: number
  readonly realised_pnl: number
  readonly net_funding: number
}

export interface BalanceRow {
  readonly deposit: number
  readonly fees: number
  readonly realised_pnl: number
  readonly net_funding: number
}

export interface TwapRow {
  readonly twap_id: string
  readonly client_twap_id: string | null
  readonly status: string
  readonly symbol: string
}

export interface Frame {
  readonly order_response?: OrderRow
  readonly fill_response?: FillRow
  readonly twap_response?: TwapRow
  readonly position_response?: PositionRow
  readonly balance_response?: BalanceRow
  readonly all_orders_response?: object
  readonly ack?: { readonly incoming_message?: Incoming | string }
  readonly err?: {
    readonly error_code: string
    readonly message?: string
    readonly incoming_message?: Incoming | string
  }
}

export interface Incoming {
  readonly type: string
  readonly params: Readonly<Record<string, unknown>>
}
