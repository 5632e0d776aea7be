/** What the twin remembers: one array of orders and one holding per account, and the plain questions asked of them. */
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
  /** Stored when the order was accepted. */
  readonly makerRate: number
  readonly leverage: number
  /** Position in time: of the acceptance, and of the last loss of priority. */
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
  /** The mark has come to it, and this is its turn. */
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
  /** As it was when it was opened. */
  readonly held: Holding
  readonly atMillis: number
}

/** What has been sampled since the last whole hour. */
export interface Funding {
  samples: Array<bigint>
  /** As it was told last. */
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
  /** The oracle price that counted from a time on; none while the market did not trade. */
  readonly inForce: Array<{ readonly fromMillis: number; readonly priceE8: number | undefined }>
  settlementTicks: number
  lastDividendDay: number
  lastSplitDay: number
  lastSplitMillis: number
  /** As they were last told: long, then short. */
  holders: readonly [number, number]
  numbers: number
  trades: number
  resting: Array<Resting>
  stops: Array<TwinStop>
  /** They go on, the oldest first. */
  twaps: ReadonlyArray<Twap>
  /** They are open, the oldest first. */
  takeovers: Array<TwinTakeover>
  /** What liquidations have traded on the book. */
  liquidated: { readonly notional: number; readonly atMillis: number }
  readonly holdings: Map<string, Holding>
  readonly funding: Funding
  reserveFund: bigint
  /** What the operator put in, by id. */
  readonly topUps: Map<string, number>
  readonly builders: Array<IntroduceBuilder>
  /** The owner of each account that has ever traded or placed. */
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

/** A buy takes what is offered at its price or lower; a sell what is bid at its price or higher. */
export const crosses = (side: Side, limit: number, resting: number): boolean =>
  side === "BUY" ? resting <= limit : resting >= limit

/** Orders on the other side that a limit reaches: best price first, then the longest in the queue. */
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

/** Books one fill and returns the profit it realised. What a reducing fill takes of the basis is rounded towards zero. */
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

/** Lots by which a fill makes a position larger, on whatever side it ends up. */
export function added(held: number, side: Side, lots: number): number {
  const towards = side === "BUY" ? held : -held
  return towards + lots > 0 ? Math.min(lots, towards + lots) : 0
}

/** How much of an account's position an order of that side may take away. */
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

/** Enough of a copy to rehearse a match on. */
export function copy(twin: Twin): Twin {
  return {
    ...twin,
    resting: twin.resting.map((resting) => ({ ...resting })),
    stops: twin.stops.map((stop) => ({ ...stop })),
    holdings: new Map([...twin.holdings].map(([account, held]) => [account, { ...held }]))
  }
}

/** No outside price has come for a minute, though the underlier is open. */
export function isStale({ instrument }: Twin, { source, toldAtMillis }: Priced, nowMillis: number): boolean {
  const isOld = nowMillis >= toldAtMillis + 60_000
  return source === "stale" || (source === "external" && isOld && isLive(instrument, nowMillis))
}

/** What each state keeps out. */
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

/** The order as it is accepted. */
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

/** As the command said it, or else that of the open order it names. */
export function clientOrderIdOf(twin: Twin, command: TraderCommand): string {
  const said = command._tag === "Refuse" ? command.echo : command
  const own = [...twin.resting, ...twin.stops].filter(
    ({ order }) => order.accountId === command.accountId && order.userId === command.userId
  )
  const named =
    "orderId" in said ? own.find(({ order }) => order.orderId.text === String(said.orderId))?.order : undefined
  return named?.clientOrderId ?? ("clientOrderId" in said ? said.clientOrderId : "")
}
