/** Reference implementation of margin and balance: slow and simple, recomputed from scratch in fractions. */
import type { AccountId } from "@venue/domain/AccountId"
import type { Instrument } from "@venue/domain/Instrument"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Side } from "@venue/domain/Order"

export interface State {
  /** Id of the modify that can lead to this state; empty for the current state. */
  readonly commandId: string
  readonly price: number
  readonly lots: number
}

export interface TwinOrder {
  readonly orderId: string
  readonly accountId: AccountId
  readonly symbol: MarketSymbol
  readonly side: Side
  readonly reduceOnly: boolean
  readonly rests: boolean
  /** True for a MARKET order. */
  readonly market: boolean
  readonly accepted: boolean
  /** Current state, then possible states. */
  readonly states: ReadonlyArray<State>
}

export interface TwinFill {
  readonly accountId: AccountId
  readonly symbol: MarketSymbol
  readonly side: Side
  readonly lots: number
  readonly notional: number
  readonly fee: number
}

/** Payment to every position in a market, made after this many fills. */
export interface TwinPayment {
  readonly symbol: MarketSymbol
  readonly fills: number
  /** Amount per lot held long, in 1e-6 USD. */
  readonly perLot: Fraction
}

export interface Twin {
  readonly instruments: ReadonlyMap<MarketSymbol, Instrument>
  readonly symbols: ReadonlyArray<MarketSymbol>
  readonly deposits: Map<string, bigint>
  readonly leverages: Map<string, number>
  /** Marks in 1e-8 USD. */
  readonly marks: Map<string, number>
  /** Day whose tier is set, and its effective volume in 1e-6 USD. */
  tier: { readonly day: number; readonly volume: bigint }
  orders: Array<TwinOrder>
  readonly fills: Array<TwinFill>
  readonly payments: Array<TwinPayment>
  /** Rewards received; null until the trader owns a builder code. */
  rewards: bigint | null
}

/** Fraction: numerator and positive denominator. */
export type Fraction = readonly [bigint, bigint]

export const floor = ([n, d]: Fraction): bigint => (n >= 0n ? n / d : -((-n + d - 1n) / d))
export const ceil = ([n, d]: Fraction): bigint => -floor([-n, d])
export const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d + c * b, b * d]
export const minus = (a: Fraction, [n, d]: Fraction): Fraction => plus(a, [-n, d])
const greater = (a: Fraction, b: Fraction): Fraction => (minus(a, b)[0] >= 0n ? a : b)
export const times = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * c, b * d]
export const over = ([n, d]: Fraction, whole: number): Fraction => [n, d * BigInt(whole)]
const whole = (n: bigint | number): Fraction => [BigInt(n), 1n]
const nothing = whole(0)
const sum = (all: ReadonlyArray<Fraction>): Fraction => all.reduce(plus, nothing)
const most = (all: ReadonlyArray<Fraction>): Fraction => all.reduce(greater, nothing)

export const quantity = (twin: Twin, accountId: AccountId, symbol: MarketSymbol): bigint =>
  fillsOf(twin, accountId, symbol).reduce(
    (total, { lots, side }) => total + (side === "BUY" ? 1n : -1n) * BigInt(lots),
    0n
  )

const fillsOf = (twin: Twin, accountId: AccountId, symbol: MarketSymbol) =>
  twin.fills.filter((fill) => fill.accountId === accountId && fill.symbol === symbol)

const ordersOf = (twin: Twin, accountId: AccountId, symbol: MarketSymbol, side: Side) =>
  twin.orders.filter((order) => order.accountId === accountId && order.symbol === symbol && order.side === side)

/** Value of lots at the mark: lots x lot x mark / 1e10. */
export const atMark = (twin: Twin, symbol: MarketSymbol, lots: bigint): Fraction => [
  lots * BigInt(twin.instruments.get(symbol)!.lotE8) * BigInt(twin.marks.get(symbol)!),
  10_000_000_000n
]

const atPrice = (twin: Twin, symbol: MarketSymbol, { lots, price }: State): Fraction =>
  whole(BigInt(lots) * BigInt(price) * BigInt(twin.instruments.get(symbol)!.tickLotMicros))

const magnitude = (n: bigint) => (n < 0n ? -n : n)

export const leverageOf = (twin: Twin, accountId: AccountId, symbol: MarketSymbol) =>
  twin.leverages.get(`${accountId} ${symbol}`) ?? 10

export const positionMargin = (twin: Twin, accountId: AccountId, symbol: MarketSymbol): bigint =>
  ceil(over(atMark(twin, symbol, magnitude(quantity(twin, accountId, symbol))), leverageOf(twin, accountId, symbol)))

/**
 * Returns the maintenance margin: for each symbol two thirds of the initial margin, which is a tenth of the value at
 * 10x.
 */
const maintenanceMargin = (twin: Twin, accountId: AccountId): bigint =>
  twin.symbols.reduce((total, symbol) => {
    const [value, divisor] = atMark(twin, symbol, magnitude(quantity(twin, accountId, symbol)))
    return total + ceil([value * 2n, divisor * 3n * BigInt(leverageOf(twin, accountId, symbol))])
  }, 0n)

export const isInLiquidation = (twin: Twin, accountId: AccountId): boolean => {
  const margin = maintenanceMargin(twin, accountId)
  return margin !== 0n && balance(twin, accountId).equity <= margin
}

export const orderMargin = (twin: Twin, accountId: AccountId, symbol: MarketSymbol): bigint => {
  const held = quantity(twin, accountId, symbol)
  const covered = atMark(twin, symbol, magnitude(held))
  const sides = (["BUY", "SELL"] as const).map((side) => {
    const orders = ordersOf(twin, accountId, symbol, side).filter(({ reduceOnly }) => !reduceOnly)
    const value = sum(orders.map(({ states }) => most(states.map((state) => atPrice(twin, symbol, state)))))
    const loss = sum(
      orders.map(({ states }) =>
        most(
          states.map((state) => {
            const through = minus(atPrice(twin, symbol, state), atMark(twin, symbol, BigInt(state.lots)))
            return side === "BUY" ? through : minus(nothing, through)
          })
        )
      )
    )
    const closes = side === "BUY" ? held < 0n : held > 0n
    return { bare: closes ? minus(value, covered) : value, loss: ceil(loss) }
  })
  const bare = most(sides.map((side) => side.bare))
  return ceil(over(bare, leverageOf(twin, accountId, symbol))) + sides[0]!.loss + sides[1]!.loss
}

/**
 * Returns the cost of the position, updated fill by fill. The part that a closing fill realises is rounded towards
 * zero.
 */
const basis = (twin: Twin, accountId: AccountId, symbol: MarketSymbol): bigint => {
  let held = 0n
  let cost = 0n
  for (const { lots, notional, side } of fillsOf(twin, accountId, symbol)) {
    const sign = side === "BUY" ? 1n : -1n
    const signed = sign * BigInt(lots)
    const after = held + signed
    if (held * signed >= 0n) cost += sign * BigInt(notional)
    else if (after * held > 0n) cost -= (cost * BigInt(lots)) / magnitude(held)
    else cost = (sign * BigInt(notional) * magnitude(after)) / BigInt(lots)
    held = after
  }
  return cost
}

const cash = (twin: Twin, accountId: AccountId, symbol: MarketSymbol): bigint =>
  fillsOf(twin, accountId, symbol).reduce(
    (total, { notional, side }) => total + (side === "BUY" ? -1n : 1n) * BigInt(notional),
    0n
  )

const fees = (twin: Twin, accountId: AccountId, symbol: MarketSymbol): bigint =>
  fillsOf(twin, accountId, symbol).reduce((total, { fee }) => total + BigInt(fee), 0n)

/** Returns the payment of an hour or a dividend on the position at that time, rounded against the account. */
const funding = (twin: Twin, accountId: AccountId, symbol: MarketSymbol): bigint => {
  let [held, seen, total] = [0n, 0, 0n]
  for (const { fills, perLot, symbol: over } of twin.payments) {
    if (over !== symbol) continue
    for (const fill of twin.fills.slice(seen, fills)) {
      if (fill.accountId === accountId && fill.symbol === symbol)
        held += BigInt(fill.side === "BUY" ? fill.lots : -fill.lots)
    }
    seen = fills
    total += floor([held * perLot[0], perLot[1]])
  }
  return total
}

/** Hourly funding at a rate in 1e-12 of the value at the mark: longs pay if it is positive. */
export const perLotOfHour = (
  { lotE8 }: Instrument,
  { markE8, rateE12 }: { readonly markE8: number; readonly rateE12: number }
): Fraction => [-BigInt(lotE8) * BigInt(markE8) * BigInt(rateE12), 10n ** 22n]

const value = (twin: Twin, accountId: AccountId, symbol: MarketSymbol): bigint =>
  floor(atMark(twin, symbol, quantity(twin, accountId, symbol)))

export const balance = (twin: Twin, accountId: AccountId) => {
  const total = (of: (twin: Twin, accountId: AccountId, symbol: MarketSymbol) => bigint) =>
    twin.symbols.reduce((sum, symbol) => sum + of(twin, accountId, symbol), 0n)
  const deposit = twin.deposits.get(accountId)!
  // The first account is the primary one.
  const rewards = accountId === [...twin.deposits.keys()][0] ? twin.rewards : null
  const earned = rewards ?? 0n
  const realised = total(cash) + total(basis)
  const unrealised = total(value) - total(basis)
  const equity = deposit + realised + unrealised - total(fees) + total(funding) + earned
  const margins = { orderMargin: total(orderMargin), positionMargin: total(positionMargin) }
  const available = equity - margins.orderMargin - margins.positionMargin
  const withdrawable = available - (unrealised > 0n ? unrealised : 0n)
  return {
    accountId,
    deposit,
    realised,
    unrealised,
    funding: total(funding),
    fees: total(fees),
    builderRewards: rewards,
    referralRewards: 0n,
    ...margins,
    equity,
    available,
    withdrawable: withdrawable > 0n ? withdrawable : 0n
  }
}

/** Returns true if the order's side is opposite to the position and all orders on that side are within the position. */
export const onlyReduces = (twin: Twin, order: TwinOrder): boolean => {
  const held = quantity(twin, order.accountId, order.symbol)
  const side = ordersOf(twin, order.accountId, order.symbol, order.side).filter(
    ({ orderId }) => orderId !== order.orderId
  )
  const lots = [...side, order].reduce(
    (total, { states }) => total + BigInt(Math.max(...states.map((state) => state.lots))),
    0n
  )
  return (order.side === "BUY" ? -held : held) >= lots
}

/** Taker and maker rates in hundredths of a basis point, by volume in millions. */
export const rates = ({ instruments, tier }: Twin, symbol: MarketSymbol) => {
  const millions = tier.volume / 1_000_000_000_000n
  let paid = { maker: 200, taker: 1_000 }
  if (millions >= 2n) paid = { maker: 150, taker: 800 }
  if (millions >= 10n) paid = { maker: 100, taker: 600 }
  if (millions >= 50n) paid = { maker: 50, taker: 450 }
  if (millions >= 250n) paid = { maker: 0, taker: 300 }
  const share = instruments.get(symbol)!.category === "EQUITY" ? 100 : 50
  return { makerRate: paid.maker * share, takerRate: paid.taker * share }
}

/** Returns true if the margin is sufficient for an order in its new state instead of its former state. */
export const allows = (twin: Twin, order: TwinOrder): boolean => {
  const { accountId, side, states, symbol } = order
  const state = states[0]!
  const held = quantity(twin, accountId, symbol)
  if (order.reduceOnly || onlyReduces(twin, order)) {
    if (order.market || (side === "BUY" ? held >= 0n : held <= 0n)) return true
    const closing = whole(held * BigInt(state.price) * BigInt(twin.instruments.get(symbol)!.tickLotMicros))
    return balance(twin, accountId).equity - value(twin, accountId, symbol) + floor(closing) >= 0n
  }
  const before = balance(twin, accountId)
  const change = orderMargin(having(twin, order), accountId, symbol) - orderMargin(twin, accountId, symbol)
  const takerRate = BigInt(rates(twin, symbol).takerRate)
  const [notional] = atPrice(twin, symbol, state)
  return before.available - change - ceil([notional * takerRate, 100_000_000n]) >= 0n
}

/** Worst fill price of a MARKET order in ticks: the last one at which closing everything leaves no debt. */
export const worst = (twin: Twin, order: TwinOrder): number => {
  const { accountId, symbol } = order
  const held = quantity(twin, accountId, symbol)
  if (!(order.side === "BUY" ? held < 0n : held > 0n) || !(order.reduceOnly || onlyReduces(twin, order))) return 0
  const without = balance(twin, accountId).equity - value(twin, accountId, symbol)
  const even: Fraction = [
    held > 0n ? -without : without,
    magnitude(held) * BigInt(twin.instruments.get(symbol)!.tickLotMicros)
  ]
  const ticks = Number(held > 0n ? ceil(even) : floor(even))
  return Math.max(held > 0n ? 0 : 1, ticks)
}

/** Returns the account with one order added, or replaced by its new state. */
export const having = (twin: Twin, order: TwinOrder): Twin => ({
  ...twin,
  orders: [...twin.orders.filter(({ orderId }) => orderId !== order.orderId), order]
})

export const openOrders = (twin: Twin, accountId: AccountId): number =>
  twin.orders.filter((order) => order.accountId === accountId && order.rests).length
