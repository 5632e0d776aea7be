/** Helpers for one trader and its markets: commands to send, and events that the markets record. */
import { primaryAccountOf, AccountId } from "@venue/domain/AccountId"
import { feeOf } from "@venue/domain/Fee"
import type { Id } from "@venue/domain/Id"
import { type Instrument, lotsOf, notional, priceOf, initialInstruments, ticksOf } from "@venue/domain/Instrument"
import type { MarketEvent, Modify, Place, Priced, TraderCommand } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as OpenInterest from "@venue/domain/OpenInterest"
import type { EndStatus, ModifyOrder, Order, PlaceOrder, Side } from "@venue/domain/Order"
import { orderIdFrom } from "@venue/domain/OrderId"
import type { OrderRefusal } from "@venue/domain/Reject"
import type { LedgerCommand, LedgerRefusal, TraderEvent } from "@venue/domain/Trader"
import { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import { assert } from "@effect/vitest"
import { Result } from "effect"
import { id } from "../Id.ts"

export const alice = UserId.make("alice")
export const aapl = MarketSymbol.make("AAPL-USD")
export const gold = MarketSymbol.make("GOLD-USD")
export const usd = (amount: number): bigint => BigInt(Math.round(amount * 1_000_000))

export const instruments: ReadonlyMap<MarketSymbol, Instrument> = new Map(
  initialInstruments.map((listed) => [listed.symbol, listed])
)

/** Bands while OPEN: 10 % for equities, 5 % for other classes. */
export const pricedAt = (symbol: MarketSymbol, price: number, openInterestLots = 0): Priced => {
  const instrument = instruments.get(symbol)!
  const width = instrument.category === "EQUITY" ? 10 : 20
  const markE8 = Math.round(price * 1e8)
  return {
    _tag: "Priced",
    source: "operator",
    toldE8: markE8,
    toldAtMillis: 0,
    rejections: 0,
    paused: false,
    bidTicks: 0,
    askTicks: 0,
    openInterestLots,
    oracleE8: markE8,
    markE8,
    freshMarkE8: markE8,
    premiumE8: 0,
    lowerTicks: Math.ceil((markE8 * (width - 1)) / width / instrument.tickE8),
    upperTicks: Math.floor((markE8 * (width + 1)) / width / instrument.tickE8),
    minPriceTicks: 1,
    maxPriceTicks: Math.floor((markE8 * 1.3) / instrument.tickE8),
    limitShareBps: 10_000,
    atMillis: 0
  }
}

export const make = (settings: Partial<Ledger.Settings> = {}) => {
  const prices = new Map<MarketSymbol, Priced>()
  const openInterest = OpenInterest.none()
  const trader = Ledger.make(alice, instruments, prices, openInterest, { ...Ledger.defaults, ...settings })
  let lastId = 0

  const ask = (command: LedgerCommand): Result.Result<ReadonlyArray<TraderEvent>, LedgerRefusal> => {
    const decided = Ledger.decide(trader, command, 1_000)
    if (Result.isSuccess(decided)) for (const event of decided.success) Ledger.apply(trader, event)
    return decided
  }
  const credit = (amount: number, accountId = alice) =>
    ask({
      _tag: "Credit",
      creditId: `credit-${++lastId}`,
      accountId: primaryAccountOf(accountId),
      amount: usd(amount),
      reason: "test"
    })
  const price = (symbol: MarketSymbol, at: number, openInterestLots = 0) => {
    const priced = pricedAt(symbol, at, openInterestLots)
    prices.set(symbol, priced)
    OpenInterest.take(openInterest, instruments.get(symbol)!, priced)
  }

  const requestOf = (side: Side, quantity: number, at: number, more: Partial<PlaceOrder> = {}): PlaceOrder => ({
    _tag: "PlaceOrder",
    commandId: id(`command-${++lastId}`),
    expiresAtMillis: 60_000,
    accountId: primaryAccountOf(alice),
    symbol: aapl,
    side,
    type: "LIMIT",
    timeInForce: "GTC",
    price: at,
    quantity,
    reduceOnly: false,
    clientOrderId: "",
    builderCode: "",
    ...more
  })
  const enter = (side: Side, quantity: number, at: number, more: Partial<PlaceOrder> = {}): TraderCommand =>
    Ledger.enter(trader, requestOf(side, quantity, at, more), 1)
  const placed = (side: Side, quantity: number, at: number, more: Partial<PlaceOrder> = {}): Place => {
    const command = enter(side, quantity, at, more)
    assert.strictEqual(command._tag, "Place")
    return command as Place
  }
  const market = { type: "MARKET", timeInForce: "IOC" } as const
  const modification = (order: Order, price: number, quantity: number, more: Partial<ModifyOrder> = {}) =>
    Ledger.enter(
      trader,
      {
        _tag: "ModifyOrder",
        commandId: id(`command-${++lastId}`),
        expiresAtMillis: 60_000,
        accountId: order.accountId,
        symbol: aapl,
        orderId: order.orderId.text,
        side: order.side,
        type: order.type,
        price,
        quantity,
        reduceOnly: order.reduceOnly,
        ...more
      },
      1
    )
  const closing = () =>
    Ledger.enter(
      trader,
      {
        _tag: "ClosePosition",
        commandId: id(`command-${++lastId}`),
        expiresAtMillis: 60_000,
        accountId: primaryAccountOf(alice),
        symbol: aapl,
        clientOrderId: "",
        builderCode: ""
      },
      1
    )
  const cancellation = (orderId: string, byClientOrderId = false) =>
    Ledger.enter(
      trader,
      {
        _tag: "CancelOrder",
        commandId: id("cancel"),
        expiresAtMillis: 60_000,
        accountId: primaryAccountOf(alice),
        symbol: aapl,
        orderId,
        byClientOrderId
      },
      1
    )

  const observe = (event: MarketEvent, symbol = aapl) => Ledger.observe(trader, MarketSymbol.make(symbol), event)
  const accept = (command: Place, symbol = aapl): Order => {
    const order = orderOf(command)
    observe(
      {
        _tag: "Accepted",
        commandId: command.commandId,
        expiresAtMillis: 0,
        order,
        makerRate: command.makerRate,
        leverage: command.leverage,
        atMillis: 0
      },
      symbol
    )
    return order
  }
  /** Fills an order against another user. The fee is the taker's by default. */
  const trade = (order: Order, lots: number, ticks: number, symbol = aapl, fee?: number): Order => {
    const instrument = instruments.get(symbol)!
    const value = notional(instrument, ticks, lots)
    const filled = { ...order, remainingLots: order.remainingLots - lots }
    const stranger = {
      ...filled,
      orderId: orderIdFrom(id("theirs")),
      userId: UserId.make("bob"),
      accountId: AccountId.make("bob"),
      side: order.side === "BUY" ? "SELL" : "BUY"
    } as const
    observe(
      {
        _tag: "Traded",
        tradeId: id(`trade-${++lastId}`),
        number: lastId,
        priceTicks: ticks,
        quantityLots: lots,
        notional: value,
        maker: { order: stranger, fee: 0, realised: 0, marginUsed: 0, reward: null },
        taker: { order: filled, fee: fee ?? feeOf(value, 100_000), realised: 0, marginUsed: 0, reward: null },
        atMillis: 0
      },
      symbol
    )
    return filled
  }
  /** Executes a trade of other users whose taker carries the trader's builder code. */
  const reward = (amount: number, symbol = aapl) => {
    const order = (user: string, side: Side): Order => ({
      orderId: orderIdFrom(id(user)),
      userId: UserId.make(user),
      accountId: AccountId.make(user),
      side,
      type: "LIMIT",
      timeInForce: "GTC",
      priceTicks: 1,
      quantityLots: 1,
      remainingLots: 0,
      reduceOnly: false,
      clientOrderId: "",
      origin: "USER",
      builderCode: "code",
      modified: false,
      updatedAtMillis: 0
    })
    const fill = { fee: 0, realised: 0, marginUsed: 0, reward: null }
    const rewarded = { ...fill, fee: amount, reward: { ownerId: alice, amount, remainder: 0 } }
    observe(
      {
        _tag: "Traded",
        tradeId: id(`trade-${++lastId}`),
        number: lastId,
        priceTicks: 1,
        quantityLots: 1,
        notional: 0,
        maker: { order: order("bob", "SELL"), ...fill },
        taker: { order: order("cid", "BUY"), ...rewarded },
        atMillis: 0
      },
      symbol
    )
  }
  const end = (order: Order, status: EndStatus = "CANCELLED", symbol = aapl) =>
    observe({ _tag: "Ended", commandId: null, order, status, atMillis: 0 }, symbol)
  const done = (commandId: Id, symbol = aapl) =>
    observe(
      { _tag: "Done", commandId, expiresAtMillis: 0, userId: alice, accountId: primaryAccountOf(alice), atMillis: 0 },
      symbol
    )
  const refuse = ({ accountId, commandId }: TraderCommand, status: "EXPIRED" | OrderRefusal, symbol = aapl) =>
    observe(
      { _tag: "Refused", commandId, expiresAtMillis: 0, userId: alice, accountId, status, echo: noEcho, atMillis: 0 },
      symbol
    )
  const modified = (command: Modify, before: Order): Order => {
    const order = {
      ...before,
      priceTicks: command.priceTicks === 0 ? before.priceTicks : command.priceTicks,
      quantityLots: command.quantityLots === 0 ? before.quantityLots : command.quantityLots,
      remainingLots: command.quantityLots === 0 ? before.remainingLots : command.quantityLots,
      modified: true
    }
    observe({ _tag: "Modified", commandId: command.commandId, order, requeued: true, atMillis: 0 })
    done(command.commandId)
    return order
  }
  /** Takes a position at a price without a fee, and removes its order. */
  const hold = (units: number, at: number, symbol = aapl, accountId = alice) => {
    const instrument = instruments.get(symbol)!
    holdLots(Math.sign(units) * lotsOf(instrument, Math.abs(units)), ticksOf(instrument, at), symbol, accountId)
  }
  /** Takes a position like `hold`, in lots and ticks and with a fee, and returns the value. */
  const holdLots = (signedLots: number, ticks: number, symbol = aapl, accountId = alice, fee = 0): number => {
    const lots = Math.abs(signedLots)
    const order: Order = {
      orderId: orderIdFrom(id(`opening-${++lastId}`)),
      userId: alice,
      accountId: primaryAccountOf(accountId),
      side: signedLots > 0 ? "BUY" : "SELL",
      type: "MARKET",
      timeInForce: "IOC",
      priceTicks: 0,
      quantityLots: lots,
      remainingLots: lots,
      reduceOnly: false,
      clientOrderId: "",
      origin: "USER",
      builderCode: "",
      modified: false,
      updatedAtMillis: 0
    }
    trade(order, lots, ticks, symbol, fee)
    return notional(instruments.get(symbol)!, ticks, lots)
  }
  const balance = (accountId = alice) => Ledger.balance(trader, AccountId.make(accountId))!

  return {
    trader,
    prices,
    ask,
    credit,
    price,
    requestOf,
    enter,
    placed,
    market,
    modification,
    closing,
    cancellation,
    observe,
    accept,
    trade,
    end,
    done,
    refuse,
    reward,
    modified,
    hold,
    holdLots,
    balance
  }
}

export type Scene = ReturnType<typeof make>

/** Returns the order that a market creates for a command. */
export const orderOf = (command: Place): Order => ({
  orderId: orderIdFrom(command.commandId),
  userId: command.userId,
  accountId: command.accountId,
  side: command.side,
  type: command.type,
  timeInForce: command.timeInForce,
  priceTicks: command.priceTicks,
  quantityLots: command.quantityLots,
  remainingLots: command.quantityLots,
  reduceOnly: command.reduceOnly,
  clientOrderId: command.clientOrderId,
  origin: command.origin,
  builderCode: command.builderCode,
  modified: false,
  updatedAtMillis: 0
})

export const decimalPrice = (symbol: MarketSymbol, ticks: number): number => priceOf(instruments.get(symbol)!, ticks)

const noEcho = {
  orderId: "",
  side: null,
  type: null,
  timeInForce: null,
  price: 0,
  quantity: 0,
  clientOrderId: "",
  reduceOnly: false
}
