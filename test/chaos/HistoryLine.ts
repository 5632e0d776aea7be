/** The lines of a history: what clients sent and heard, what was done to the venue, and what it shows in the end. */

/** Milliseconds since 1970, carried by the monotonic clock of the tool from its start. */
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
  /** Every limit of time counts so many times: a busy machine is no fault of the venue's. */
  readonly patience: number
  readonly accounts: ReadonlyArray<string>
  readonly symbols: ReadonlyArray<Listed>
}

/** `through` is the gateway. */
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
  /** The tool itself closed it. */
  readonly isOurs: boolean
}

export interface Sent {
  readonly kind: "sent"
  readonly at: Moment
  readonly connection: string
  readonly type: string
  readonly params: Readonly<Record<string, unknown>>
}

export interface Heard {
  readonly kind: "heard"
  readonly at: Moment
  readonly connection: string
  readonly frame: Frame
}

/** What the tool does to the venue. A fault that is done at once has no second line. */
export interface FaultLine {
  readonly kind: "fault"
  readonly at: Moment
  readonly phase: "begin" | "end"
  readonly number: number
  /** Such as `kill`, `freeze`, `cut`. */
  readonly fault: string
  /** Names of nodes, or `postgres`. */
  readonly targets: ReadonlyArray<string>
}

/** What one gateway shows of one account. */
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
/** Numbers of Postgres that may be large are text. */
export type Row = Readonly<Record<string, string | number | boolean | null>>

/** One line for each stream and epoch of the journal. */
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

/** One signed request, sent to several at once. No status: nobody answered. */
export interface NonceLine {
  readonly kind: "nonce"
  readonly at: Moment
  readonly answers: ReadonlyArray<{ readonly through: string; readonly status: number | null }>
}

/** A builder asks for the key of a wallet's user, which replaces the one before. `next` is absent when it did not come. */
export interface KeyLine {
  readonly kind: "key"
  readonly at: Moment
  readonly askedAt: Moment
  readonly outcome: "replaced" | "refused" | "unknown"
  readonly old: string
  readonly next?: string
}

/** A request signed with a key after `askedAt`. */
export interface ProbeLine {
  readonly kind: "probe"
  readonly at: Moment
  readonly askedAt: Moment
  readonly key: string
  readonly through: string
  readonly outcome: "good" | "refused" | "unknown"
}

/** An order that one gateway had acknowledged was asked for through another. */
export interface VisibleLine {
  readonly kind: "visible"
  readonly at: Moment
  readonly askedAt: Moment
  readonly orderId: string
  readonly told: string
  readonly through: string
  readonly outcome: "open" | "missing" | "unknown"
}

/** What the operator and the accounts are shown, before and after everything is replayed. */
export interface StateLine {
  readonly kind: "state"
  readonly at: Moment
  readonly pair: number
  readonly phase: "before" | "after"
  readonly sums: Readonly<Record<string, string>>
}

/** After an episode: the operator's proof, and streams whose tables have not come to their end. */
export interface ProofLine {
  readonly kind: "proof"
  readonly at: Moment
  readonly episode: number
  readonly isBalanced: boolean
  readonly detail: string
  readonly behind: ReadonlyArray<string>
}

/** The tool met what must not be: a node that did not come back, a gateway that never answered again. */
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
  | Heard
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
  /** When the venue decided it, in seconds. */
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
