/** Independent implementation of settlement: all samples in a list, trade by trade. */
import type { Priced } from "@venue/domain/Market"
import type { Side } from "@venue/domain/Order"
import type { TradingState } from "@venue/domain/TradingState"
import { ofTrade, salt } from "@venue/matching/orders/TradeId"
import type { Emit } from "./TwinMatch.ts"
import { endStop, leave } from "./TwinMatch.ts"
import { book, holding, type Twin } from "./TwinState.ts"
import * as Stops from "./TwinStops.ts"
import * as Takeovers from "./TwinTakeovers.ts"
import { named, nameless } from "./TwinTakeovers.ts"
import * as TwinTwaps from "./TwinTwaps.ts"
import { AccountId } from "@venue/domain/AccountId"
import { UserId } from "@venue/domain/UserId"

export const isOver = ({ letsIn }: Twin): boolean => letsIn === "IN_SETTLEMENT" || letsIn === "DELISTED"

export const assertPriced = (twin: Twin, { freshMarkE8, markE8 }: Priced): void => {
  const endE8 = twin.settlementTicks * twin.instrument.tickE8
  if (markE8 !== endE8 || freshMarkE8 !== endE8) throw new Error(`settled at ${markE8}`)
}

export const change = (twin: Twin, state: TradingState, nowMillis: number, emit: Emit): void => {
  if (state === twin.letsIn || isOver(twin)) return
  twin.timeMillis = Math.max(twin.timeMillis, nowMillis)
  enter(twin, state, emit)
  Stops.marked(twin)
}

export const enter = (twin: Twin, state: TradingState, emit: Emit): void => {
  twin.letsIn = state
  emit({ _tag: "TradingStateChanged", state, atMillis: twin.timeMillis })
  note(twin)
}

/** Records the price that applies from now on, or undefined while the market does not trade. */
export const note = (twin: Twin): void => {
  const priceE8 = twin.letsIn === "TRADING" ? twin.prices?.oracleE8 : undefined
  twin.inForce.push({ fromMillis: twin.timeMillis, priceE8 })
}

export const begin = (twin: Twin, nowMillis: number, emit: Emit): void => {
  if (twin.letsIn === "TRADING" || isOver(twin)) return
  twin.timeMillis = Math.max(twin.timeMillis, nowMillis)
  if (twin.prices === undefined) return enter(twin, "DELISTED", emit)
  enter(twin, "IN_SETTLEMENT", emit)
  const samples = twin.inForce.flatMap(({ fromMillis, priceE8 }, at) => {
    const untilMillis = twin.inForce[at + 1]?.fromMillis ?? twin.timeMillis
    const marks = Math.floor(untilMillis / 5_000) - Math.floor(fromMillis / 5_000)
    return priceE8 === undefined ? [] : Array.from({ length: marks }, () => BigInt(priceE8))
  })
  const last = samples.slice(-360)
  const averageE8 =
    last.length === 0 ? twin.prices.oracleE8 : Number(last.reduce((sum, each) => sum + each, 0n) / BigInt(last.length))
  twin.settlementTicks = Math.max(1, Math.round(averageE8 / twin.instrument.tickE8))
  emit({ _tag: "SettlementBegan", averageE8, priceTicks: twin.settlementTicks, atMillis: twin.timeMillis })
  Takeovers.giveUpAll(twin, emit)
  proceed(twin, nowMillis, emit)
}

/** Settles in one decision, because no stream is large enough to need a second. */
export const proceed = (twin: Twin, nowMillis: number, emit: Emit): void => {
  if (twin.letsIn !== "IN_SETTLEMENT") return
  twin.timeMillis = Math.max(twin.timeMillis, nowMillis)
  for (const account of [...twin.owners.keys()].sort()) {
    const own = twin.resting.filter(({ order }) => order.accountId === account)
    for (const resting of own.sort((a, b) => a.acceptedNumber - b.acceptedNumber))
      leave(twin, resting, null, "CANCELLED", emit)
    for (const stop of Stops.ofAccount(twin, AccountId.make(account))) endStop(twin, stop, null, emit)
  }
  TwinTwaps.end(twin, () => true, "DELISTING", null, emit)
  const next = (sign: number) =>
    [...twin.holdings].filter(([, held]) => Math.sign(held.quantity) === sign).sort(([a], [b]) => (a < b ? -1 : 1))[0]
  for (let long = next(1), short = next(-1); long && short; long = next(1), short = next(-1)) {
    trade(twin, long[0], short[0], Math.min(long[1].quantity, -short[1].quantity), emit)
  }
  enter(twin, "DELISTED", emit)
}

function trade(twin: Twin, long: string, short: string, lots: number, emit: Emit): void {
  const { instrument, settlementTicks: priceTicks, timeMillis: atMillis } = twin
  const money = BigInt(priceTicks) * BigInt(lots) * BigInt(instrument.tickLotMicros)
  const number = ++twin.trades
  const tradeId = ofTrade(number, salt(instrument.symbol))
  const fill = (account: string, side: Side) => {
    const accountId = AccountId.make(account)
    const whole = nameless(twin, accountId, UserId.make(twin.owners.get(account)!), side, lots)
    const order = { ...named({ ...whole, origin: "SETTLEMENT" }, tradeId), remainingLots: 0 }
    const realised = Number(book(holding(twin, accountId), side, lots, money, 0n))
    return { order, fee: 0, realised, marginUsed: 0, reward: null }
  }
  const [taker, maker] = [fill(long, "SELL"), fill(short, "BUY")]
  const notional = Number(money)
  emit({
    _tag: "Traded",
    tradeId,
    number,
    priceTicks,
    quantityLots: lots,
    notional,
    maker,
    taker,
    offBook: "SETTLEMENT",
    atMillis
  })
}
