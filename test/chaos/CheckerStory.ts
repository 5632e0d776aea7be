/** A history in sequence: reports by order, commands with their responses, and database rows. */
import type {
  Began,
  FaultLine,
  FillRow,
  Frame,
  Incoming,
  Line,
  Listed,
  OrderRow,
  Read,
  Row,
  TableLine
} from "./HistoryLine.ts"

/** A violation, with the invariant that it breaks. */
export interface Finding {
  readonly rule: string
  readonly text: string
}

export interface Connection {
  readonly name: string
  readonly account: string
  readonly through: string
  readonly openedAt: number
  readonly closedAt: number
  readonly isOurs: boolean
  /** Time at which the connection was armed, or undefined if it never was. */
  readonly armedAt: number | undefined
}

/** A client's command, with its response if one arrived. */
export interface Command {
  readonly connection: Connection
  readonly sentAt: number
  readonly type: string
  readonly params: Readonly<Record<string, unknown>>
  /** Status or error of a refused command, which had no effect. */
  refused: string | undefined
  isUnknown: boolean
  answeredAt: number | undefined
}

export interface OrderReport {
  readonly at: number
  readonly connection: Connection
  readonly row: OrderRow
}

export interface Fault {
  readonly number: number
  readonly fault: string
  readonly targets: ReadonlyArray<string>
  readonly beganAt: number
  readonly endedAt: number
}

export interface Trade {
  readonly tradeId: string
  readonly orderId: string
  readonly clientOrderId: string
  readonly account: string
  readonly symbol: string
  readonly side: string
  readonly origin: string
  readonly lots: number
  readonly ticks: number
  readonly feeMicros: number
  readonly realisedMicros: number
  readonly at: number
}

export interface Ended {
  readonly orderId: string
  readonly clientOrderId: string
  readonly account: string
  readonly symbol: string
  readonly status: string
  readonly type: string
  readonly timeInForce: string
  readonly ticks: number
  readonly lots: number
  readonly isReduceOnly: boolean
  readonly at: number
}

export interface Story {
  readonly lines: ReadonlyArray<Line>
  readonly patience: number
  readonly accounts: ReadonlyArray<string>
  readonly listed: ReadonlyMap<string, Listed>
  readonly connections: ReadonlyMap<string, Connection>
  readonly commands: ReadonlyArray<Command>
  /** Order responses by order id, in order of arrival. */
  readonly told: ReadonlyMap<string, ReadonlyArray<OrderReport>>
  readonly fills: ReadonlyArray<{ readonly at: number; readonly connection: Connection; readonly row: FillRow }>
  readonly faults: ReadonlyArray<Fault>
  readonly trades: ReadonlyArray<Trade>
  readonly ended: ReadonlyMap<string, Ended>
  readonly twaps: ReadonlyArray<Row>
  readonly ledger: ReadonlyArray<Row>
  /** Each account's last read through each gateway. */
  readonly reads: ReadonlyArray<Read>
  /** False if the run was interrupted. */
  readonly isWhole: boolean
}

export const refusals = new Set([
  "REJECTED",
  "NO_SUCH_ORDER",
  "CANNOT_MODIFY_PARTIAL_FILL",
  "CANNOT_MODIFY_NO_SUCH_ORDER",
  "CANNOT_MODIFY_ALO_WOULD_CROSS",
  "FAILED_MARGIN_CHECK",
  "USER_IN_LIQUIDATION",
  "BAD_SYMBOL"
])
export const isRefusal = (status: string): boolean =>
  refusals.has(status) || /^(REJECTED_|INVALID_|PRICE_|QUANTITY_)/.test(status)

export const ends = new Set(["CANCELLED", "CANCELLED_STP", "IOC_CANCELLED", "IOC_PARTIALLY_FILLED"])
export const isEnd = ({ quantity_remaining, status }: OrderRow): boolean =>
  ends.has(status) || (status === "FILLED" && quantity_remaining === 0)

/** Stops have the client order id of the order that created them. */
export const isStopType = (type: string | undefined): boolean =>
  type === "STOP_MARKET" || type === "TAKE_PROFIT" || type === "STOP_LOSS"

export const read = (lines: ReadonlyArray<Line>): Story => {
  const began = lines.filter((line): line is Began => line.kind === "began")
  const connections = connectionsOf(lines)
  const commands = commandsOf(lines, connections)
  const reads = lastReads(lines)
  const listed = new Map(began.flatMap(({ symbols }) => symbols).map((one) => [one.symbol, one]))
  const rows = (table: TableLine["table"]): ReadonlyArray<Row> =>
    lines.findLast((line): line is TableLine => line.kind === "table" && line.table === table)?.rows ?? []
  return {
    lines,
    patience: began.at(-1)?.patience ?? 1,
    accounts: began.at(-1)?.accounts ?? [],
    listed,
    connections,
    commands,
    told: reportsByOrder(lines, connections),
    fills: lines.flatMap((line) =>
      line.kind === "heard" && line.frame.fill_response !== undefined
        ? [{ at: line.at, connection: connections.get(line.connection)!, row: line.frame.fill_response }]
        : []
    ),
    faults: faultsOf(lines),
    trades: rows("trade").map(tradeOf),
    ended: new Map(
      rows("ended_order")
        .map(endedOf)
        .map((ended) => [ended.orderId, ended])
    ),
    twaps: rows("twap"),
    ledger: rows("ledger_entry"),
    reads,
    isWhole: reads.length > 0 && lines.some(({ kind }) => kind === "table")
  }
}

/** Returns the quantity in whole lots, so that equal quantities compare as equal. */
export const lotsOf = ({ listed }: Story, symbol: string, quantity: number): number =>
  Math.round(quantity / (listed.get(symbol)?.lot ?? 1))
export const ticksOf = ({ listed }: Story, symbol: string, price: number): number =>
  Math.round(price / (listed.get(symbol)?.tick ?? 1))
export const microsOf = (usd: number): number => Math.round(usd * 1e6)

/** Returns the faults that overlap the time window or ended shortly before it. */
export const faultsWithin = ({ faults }: Story, from: number, to: number): ReadonlyArray<Fault> =>
  faults.filter(({ beganAt, endedAt }) => beganAt <= to && endedAt >= from)

function connectionsOf(lines: ReadonlyArray<Line>): ReadonlyMap<string, Connection> {
  const closed = new Map(lines.flatMap((line) => (line.kind === "closed" ? [[line.connection, line] as const] : [])))
  const armed = new Map<string, number>()
  for (const line of lines) {
    if (line.kind === "sent" && line.type === "cancel_on_disconnect") armed.set(line.connection, line.at)
  }
  return new Map(
    lines.flatMap((line) => {
      if (line.kind !== "opened") return []
      const { account, at: openedAt, connection: name, through } = line
      const closing = closed.get(name)
      const closedAt = closing?.at ?? Number.POSITIVE_INFINITY
      const isOurs = closing?.isOurs ?? false
      return [[name, { name, account, through, openedAt, closedAt, isOurs, armedAt: armed.get(name) }] as const]
    })
  )
}

function commandsOf(lines: ReadonlyArray<Line>, connections: ReadonlyMap<string, Connection>): ReadonlyArray<Command> {
  const commands: Array<Command> = []
  /** Commands without a response, oldest first, by connection and response key. */
  const waiting = new Map<string, Array<Command>>()
  /** Several keys might identify a response's command. The response belongs to the oldest command that matches. */
  const take = (...keys: ReadonlyArray<string>): Command | undefined => {
    const fitting = keys.flatMap((key) => waiting.get(key)?.[0] ?? [])
    const oldest = fitting.toSorted((a, b) => a.sentAt - b.sentAt)[0]
    for (const key of keys) if (waiting.get(key)?.[0] === oldest) waiting.get(key)?.shift()
    return oldest
  }
  for (const line of lines) {
    if (line.kind === "sent") {
      const connection = connections.get(line.connection)
      if (connection === undefined) continue
      const { at: sentAt, params, type } = line
      const command: Command = {
        connection,
        sentAt,
        type,
        params,
        refused: undefined,
        isUnknown: false,
        answeredAt: undefined
      }
      commands.push(command)
      for (const key of keysOf(line.connection, { type, params }))
        waiting.set(key, [...(waiting.get(key) ?? []), command])
    }
    if (line.kind === "heard") answer(line.connection, line.at, line.frame, take)
  }
  return commands
}

/** Returns the keys by which a response might identify this command. */
const keysOf = (connection: string, { params, type }: Incoming): ReadonlyArray<string> => {
  const id = params["client_order_id"] ?? params["order_id"] ?? params["client_twap_id"] ?? params["stop_order_id"]
  return [`${connection} ${type} ${String(id ?? "")}`]
}

function answer(
  connection: string,
  at: number,
  { ack, all_orders_response, err, order_response, twap_response }: Frame,
  take: (...keys: ReadonlyArray<string>) => Command | undefined
): void {
  const incoming = err?.incoming_message ?? ack?.incoming_message
  if (incoming !== undefined && typeof incoming !== "string") {
    const command = take(...keysOf(connection, incoming))
    if (command === undefined) return
    command.answeredAt = at
    if (err === undefined) return
    if (isUnknown(err.message)) command.isUnknown = true
    else command.refused = `${err.error_code}: ${err.message}`
    return
  }
  if (twap_response !== undefined) {
    const command = take(`${connection} add_twap ${twap_response.client_twap_id ?? ""}`)
    if (command !== undefined) command.answeredAt = at
  }
  if (order_response === undefined || all_orders_response !== undefined) return
  const { client_order_id, order_id, status } = order_response
  const told = (types: string, ...ids: ReadonlyArray<string>) => {
    const keys = types.split(" ").flatMap((type) => ids.map((id) => `${connection} ${type} ${id}`))
    const command = take(...keys)
    if (command === undefined) return
    command.answeredAt = at
    if (isRefusal(status)) command.refused = status
  }
  // A cancel is allowed to identify its order by client order id.
  if (status === "NO_SUCH_ORDER" || status === "CANCELLED") return told("cancel_order", order_id, client_order_id)
  if (status === "ACK") return told("add_order", client_order_id)
  // If an order or a cancel did not reach its market, the response has only this key.
  if (order_id === "") return told("add_order cancel_order", client_order_id)
  if (status === "MODIFIED" || status.startsWith("CANNOT_MODIFY_")) return told("modify_order", order_id)
  // If a cancel or a modify could not be processed, the response contains the order's id.
  if (isRefusal(status)) told("modify_order cancel_order", order_id)
}

/** Returns whether an error reports an unknown outcome instead of a refusal. */
export const isUnknown = (message = ""): boolean => /unknown|not known/.test(message)

function reportsByOrder(
  lines: ReadonlyArray<Line>,
  connections: ReadonlyMap<string, Connection>
): ReadonlyMap<string, ReadonlyArray<OrderReport>> {
  const told = new Map<string, Array<OrderReport>>()
  for (const line of lines) {
    if (line.kind !== "heard") continue
    const { all_orders_response, order_response: row } = line.frame
    // A query's response comes from the current state, not from the log, so its position among the other frames
    // proves nothing.
    if (row === undefined || row.order_id === "" || all_orders_response !== undefined) continue
    const before = told.get(row.order_id)
    const one = { at: line.at, connection: connections.get(line.connection)!, row }
    if (before === undefined) told.set(row.order_id, [one])
    else before.push(one)
  }
  return told
}

function faultsOf(lines: ReadonlyArray<Line>): ReadonlyArray<Fault> {
  const faults = lines.filter((line): line is FaultLine => line.kind === "fault")
  const ended = new Map(faults.flatMap((line) => (line.phase === "end" ? [[line.number, line.at] as const] : [])))
  return faults
    .filter(({ phase }) => phase === "begin")
    .map(({ at, fault, number, targets }) => ({
      number,
      fault,
      targets,
      beganAt: at,
      endedAt: ended.get(number) ?? Number.POSITIVE_INFINITY
    }))
}

function lastReads(lines: ReadonlyArray<Line>): ReadonlyArray<Read> {
  const last = new Map<string, Read>()
  for (const line of lines) if (line.kind === "read") last.set(`${line.account} ${line.through}`, line)
  return [...last.values()]
}

const tradeOf = (row: Row): Trade => ({
  tradeId: String(row["trade_id"]),
  orderId: String(row["order_id"]),
  clientOrderId: String(row["client_order_id"]),
  account: String(row["account_id"]),
  symbol: String(row["symbol"]),
  side: String(row["side"]),
  origin: String(row["origin"]),
  lots: Number(row["quantity"]),
  ticks: Number(row["price"]),
  feeMicros: Number(row["fee"]),
  realisedMicros: Number(row["realised"]),
  at: Number(row["at_millis"])
})

const endedOf = (row: Row): Ended => ({
  orderId: String(row["order_id"]),
  clientOrderId: String(row["client_order_id"]),
  account: String(row["account_id"]),
  symbol: String(row["symbol"]),
  status: String(row["status"]),
  type: String(row["order_type"]),
  timeInForce: String(row["time_in_force"]),
  ticks: Number(row["price"]),
  lots: Number(row["quantity"]),
  isReduceOnly: row["reduce_only"] === true,
  at: Number(row["ended_at_millis"])
})
