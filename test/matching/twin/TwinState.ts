/** State of the twin: one array of orders, one holding per account, and simple queries on them. */
import type { AccountId } from "@venue/domain/AccountId"
import type { IntroduceBuilder } from "@venue/domain/Builder"
import type { Instrument } from "@venue/domain/Instrument"
import { isLive } from "@venue/domain/MarketHours"
import type { OpenTakeover } from "@venue/domain/Liquidation"
import type { Place, Priced, TraderCommand } from "@venue/domain/Market"
import type { Order, Side } from "@venue/domain/Order"
import { type OrderId, orderIdFrom } from "@venue/domain/OrderId"
import type { Outcome } from "@venue/domain/Reject"
import type { Twap } from "@venue/domain/Twap"
import type { TradingState } from "@venue/domain/TradingState"

export interface Resting {
  order: Order
  /** Stored at acceptance. */
  readonly makerRate: number
  readonly leverage: number
  /** Sequence numbers: of the acceptance, and of the last loss of priority. */
  readonly acceptedNumber: number
  queuedNumber: number
}

export interface TwinStop {
  order: Order
  readonly parentId: OrderId | null
  readonly takerRate: number
  readonly leverage: number
  readonly acceptedNumber: number
  queuedNumber: number
  /** Position in the order in which due stops fire; undefined until the mark reaches the stop. */
  dueNumber: number | undefined
}

export interface Holding {
  quantity: number
  cash: bigint
  basis: bigint
  fees: bigint
  funding: bigint
  rewards: bigint
}

export interface TwinTakeover {
  readonly command: OpenTakeover
  /** Holding when the takeover opened. */
  readonly held: Holding
  readonly atMillis: number
}

/** Samples since the last whole hour. */
export interface Funding {
  samples: Array<bigint>
  sample: bigint | null
  walkedMillis: number
  paidMillis: number
}

export interface Twin {
  instrument: Instrument
  readonly maxOpenOrders: number
  timeMillis: number
  prices: Priced | undefined
  letsIn: TradingState
  /** Oracle prices with their start times; undefined while the market did not trade. */
  readonly inForce: Array<{ readonly fromMillis: number; readonly priceE8: number | undefined }>
  settlementTicks: number
  lastDividendDay: number
  lastSplitDay: number
  lastSplitMillis: number
  /** Last recorded numbers of holders: long, then short. */
  holders: readonly [number, number]
  numbers: number
  trades: number
  resting: Array<Resting>
  stops: Array<TwinStop>
  /** Open TWAPs, oldest first. */
  twaps: ReadonlyArray<Twap>
  /** Open takeovers, oldest first. */
  takeovers: Array<TwinTakeover>
  /** Notional of liquidations traded on the book. */
  liquidated: { readonly notional: number; readonly atMillis: number }
  readonly holdings: Map<string, Holding>
  readonly funding: Funding
  reserveFund: bigint
  /** Top-ups by the operator, by id. */
  readonly topUps: Map<string, number>
  readonly builders: Array<IntroduceBuilder>
  /** Owner of each account that ever traded or placed an order. */
  readonly owners: Map<string, string>
  readonly epochs: Map<string, number>
  /** By the text of the command's id. */
  readonly outcomes: Map<string, Outcome>
}

export const make = (instrument: Instrument, options: { readonly maxOpenOrders: number }): Twin => ({
  instrument,
  maxOpenOrders: options.maxOpenOrders,
  timeMillis: 0,
  prices: undefined,
  letsIn: "TRADING",
  inForce: [],
  settlementTicks: 0,
  lastDividendDay: 0,
  lastSplitDay: 0,
  lastSplitMillis: 0,
  holders: [0, 0],
  numbers: 0,
  trades: 0,
  resting: [],
  stops: [],
  twaps: [],
  takeovers: [],
  liquidated: { notional: 0, atMillis: 0 },
  holdings: new Map(),
  funding: { samples: [], sample: null, walkedMillis: 0, paidMillis: 0 },
  reserveFund: 0n,
  topUps: new Map(),
  builders: [],
  owners: new Map(),
  epochs: new Map(),
  outcomes: new Map()
})

/**
 * Returns true if a buy at this limit reaches the resting offer, or if a sell at this limit reaches the resting bid.
 */
export const crosses = (side: Side, limit: number, resting: number): boolean =>
  side === "BUY" ? resting <= limit : resting >= limit

/** Returns the orders on the other side that a limit reaches, in price-time priority. */
export const reached = (twin: Twin, side: Side, limit: number): Array<Resting> =>
  twin.resting
    .filter(({ order }) => order.side !== side && crosses(side, limit, order.priceTicks))
    .sort(
      (a, b) => (side === "BUY" ? 1 : -1) * (a.order.priceTicks - b.order.priceTicks) || a.queuedNumber - b.queuedNumber
    )

export const holding = (twin: Twin, accountId: AccountId): Holding => {
  const held = twin.holdings.get(accountId) ?? { quantity: 0, cash: 0n, basis: 0n, fees: 0n, funding: 0n, rewards: 0n }
  twin.holdings.set(accountId, held)
  return held
}

/** Total quantity at each price. */
export const depth = (twin: Twin): Map<string, number> => {
  const levels = new Map<string, number>()
  for (const { order } of twin.resting) {
    const level = `${order.side} ${order.priceTicks}`
    levels.set(level, (levels.get(level) ?? 0) + order.remainingLots)
  }
  return levels
}

/** Books one fill and returns its realised profit. A reducing fill's part of the basis is rounded towards zero. */
export function book(held: Holding, side: Side, lots: number, notional: bigint, fee: bigint): bigint {
  const before = held.cash + held.basis
  const signed = side === "BUY" ? lots : -lots
  const cost = side === "BUY" ? notional : -notional
  const size = Math.abs(held.quantity)
  if (held.quantity * signed >= 0) held.basis += cost
  else if (lots <= size) held.basis -= (held.basis * BigInt(lots)) / BigInt(size)
  else held.basis = (cost * BigInt(lots - size)) / BigInt(lots)
  held.quantity += signed
  held.cash -= cost
  held.fees += fee
  return held.cash + held.basis - before
}

/** Returns the lots by which a fill increases a position, on either side. */
export function added(held: number, side: Side, lots: number): number {
  const towards = side === "BUY" ? held : -held
  return towards + lots > 0 ? Math.min(lots, towards + lots) : 0
}

/** Returns the lots of an account's position that an order of that side is allowed to close. */
export function reducible(twin: Twin, accountId: AccountId, side: Side): number {
  const { quantity } = holding(twin, accountId)
  return Math.max(0, side === "SELL" ? quantity : -quantity)
}

export function sum(orders: ReadonlyArray<Resting>): number {
  return sumOf(orders.map(({ order }) => order.remainingLots))
}

export function sumOf(numbers: ReadonlyArray<number>): number {
  return numbers.reduce((total, each) => total + each, 0)
}

/** Copies enough of the state to rehearse a match. */
export function copy(twin: Twin): Twin {
  return {
    ...twin,
    resting: twin.resting.map((resting) => ({ ...resting })),
    stops: twin.stops.map((stop) => ({ ...stop })),
    holdings: new Map([...twin.holdings].map(([account, held]) => [account, { ...held }]))
  }
}

/** Returns true if no external price has arrived for a minute although the underlier is open. */
export function isStale({ instrument }: Twin, { source, toldAtMillis }: Priced, nowMillis: number): boolean {
  const isOld = nowMillis >= toldAtMillis + 60_000
  return source === "stale" || (source === "external" && isOld && isLive(instrument, nowMillis))
}

/** Returns true for commands that the trading state refuses. */
export function isKeptOut({ letsIn }: Twin, command: TraderCommand): boolean {
  const kept: Record<TradingState, ReadonlyArray<TraderCommand["_tag"]>> = {
    TRADING: [],
    CANCEL_ONLY: ["Place", "Modify", "Close", "Liquidate", "OpenTakeover"],
    HALTED: ["Place", "Modify", "Close", "Cancel", "CancelAll", "Liquidate", "OpenTakeover"],
    IN_SETTLEMENT: ["Place", "Modify", "Close", "Cancel", "CancelAll", "Liquidate", "OpenTakeover"],
    DELISTED: ["Place", "Close"]
  }
  if (command._tag === "Refuse") {
    const told: Record<TradingState, ReadonlyArray<string>> = {
      TRADING: [command.status],
      CANCEL_ONLY: ["REJECTED_FAILED_TO_PROCESS", "NO_SUCH_ORDER"],
      HALTED: ["REJECTED_FAILED_TO_PROCESS"],
      IN_SETTLEMENT: ["REJECTED_FAILED_TO_PROCESS"],
      DELISTED: ["REJECTED_FAILED_TO_PROCESS", "NO_SUCH_ORDER", "CANNOT_MODIFY_NO_SUCH_ORDER"]
    }
    return !told[letsIn].includes(command.status)
  }
  const isPromised = command._tag === "CancelAll" && command.cause === "DISCONNECT"
  return !isPromised && kept[letsIn].includes(command._tag)
}

/** Returns the order as accepted. */
export function orderOf(twin: Twin, command: Place): Order {
  const {
    accountId,
    builderCode,
    clientOrderId,
    commandId,
    origin,
    quantityLots,
    reduceOnly,
    side,
    timeInForce,
    type,
    userId
  } = command
  const order = {
    orderId: orderIdFrom(commandId),
    userId,
    accountId,
    side,
    type,
    timeInForce,
    quantityLots,
    reduceOnly,
    clientOrderId
  }
  const priceTicks = type === "MARKET" ? 0 : command.priceTicks
  const fresh = { remainingLots: quantityLots, modified: false, updatedAtMillis: twin.timeMillis }
  return {
    ...order,
    priceTicks,
    origin,
    builderCode,
    ...fresh,
    ...(command.bracket === undefined ? {} : { bracket: command.bracket })
  }
}

export function mayRest(order: Order): boolean {
  return order.type === "ALO" || (order.type === "LIMIT" && order.timeInForce === "GTC")
}

/** Returns the client order id of the command, or else of the open order it names. */
export function clientOrderIdOf(twin: Twin, command: TraderCommand): string {
  const said = command._tag === "Refuse" ? command.echo : command
  const own = [...twin.resting, ...twin.stops].filter(
    ({ order }) => order.accountId === command.accountId && order.userId === command.userId
  )
  const named =
    "orderId" in said ? own.find(({ order }) => order.orderId.text === String(said.orderId))?.order : undefined
  return named?.clientOrderId ?? ("clientOrderId" in said ? said.clientOrderId : "")
}
