/** Plan of a month: the command streams of its markets in parallel, and the events of each new day. */
import { primaryAccountOf } from "@venue/domain/AccountId"
import { unitScale } from "@venue/domain/Decimal"
import { dayMillis, dayOf } from "@venue/domain/Day"
import { effectiveVolume, volumeDays } from "@venue/domain/Fee"
import { quantityOf } from "@venue/domain/Instrument"
import type { OrderRequest } from "@venue/domain/Order"
import { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import { assert } from "@effect/vitest"
import { id } from "../Id.ts"
import type { Step } from "../matching/twin/OperatorSteps.ts"
import { isOfVenue, isTraderCommand } from "../matching/twin/Streams.ts"
import { change, credit, type Month, type MonthMarket, open, tell } from "./Month.ts"
import * as MonthRisk from "./MonthRisk.ts"
import { requestOf } from "./Requests.ts"

/** Plays the month to its end; calls `night` at the end of each day. */
export const play = (month: Month, night: () => void): void => {
  const steps = month.markets.flatMap((market) => market.stream.steps.map((step) => ({ market, step })))
  const risk = MonthRisk.make(month)
  for (const { market, step } of steps.sort((a, b) => a.step.atMillis - b.step.atMillis)) {
    risk.pass(step.atMillis)
    const day = dayOf(step.atMillis)
    if (day > month.day) {
      if (month.day > 0) night()
      begin(month, day)
    }
    take(month, market, step)
    if (step.command._tag === "Observe") quote(month, market, step.atMillis)
    risk.look(step.atMillis)
  }
  night()
}

function take(month: Month, market: MonthMarket, { atMillis, command }: Step): void {
  if (command._tag === "IntroduceBuilder") {
    const { builderCode, ownerId } = command
    change(month, ownerId, { _tag: "AppointBuilder", builderCode, symbols: [market.symbol] })
  }
  if (command._tag === "RaiseEpoch") month.epochs.set(epochKey(market, command.userId), command.traderEpoch)
  if (!isTraderCommand(command) || isOfVenue(command)) return void tell(month, market, atMillis, command)
  const known = month.sent.get(command.commandId.text)
  if (known !== undefined) return void tell(month, market, atMillis, known)
  const { trader } = open(month, command.userId, command.accountId)
  const entered = Ledger.enter(trader, requestOf(market.stream.instrument, command), command.traderEpoch)
  month.sent.set(command.commandId.text, entered)
  tell(month, market, atMillis, entered)
  // The market drops commands of a former owner without a record. Their margin holds ended with that owner.
  if (command.traderEpoch < (month.epochs.get(epochKey(market, command.userId)) ?? 0)) {
    Ledger.release(trader, market.symbol, command.commandId)
  }
  assert.strictEqual(Ledger.pending(trader, command.accountId, market.symbol), 0)
}

const epochKey = ({ symbol }: MonthMarket, userId: string): string => `${symbol}/${userId}`

/** Quotes both sides of every new price with one trader, who is a liquidity provider while the trader has money. */
function quote(month: Month, market: MonthMarket, atMillis: number): void {
  const { stream, symbol } = market
  const { instrument } = stream
  const { trader } = open(month, maker, primaryAccountOf(maker))
  const { oracleE8 } = month.prices.get(symbol)!
  const common = { accountId: primaryAccountOf(maker), expiresAtMillis: atMillis + 5_000, symbol }
  change(month, maker, { _tag: "AppointProvider", accountId: common.accountId, symbols: [symbol], limit: providedUsd })
  const ask = (request: OrderRequest) => tell(month, market, atMillis, Ledger.enter(trader, request, 1))
  const next = () => id(`quote-${++month.lastId}`)
  ask({ _tag: "CancelAllOrders", ...common, commandId: next(), cause: "REQUEST" })
  for (const [side, away] of [
    ["BUY", 0.999],
    ["SELL", 1.001]
  ] as const) {
    const priceE8 = Math.round((oracleE8 * away) / instrument.tickE8) * instrument.tickE8
    const lots = Math.round(quotedE16 / (priceE8 * instrument.lotE8))
    const kind = { type: "LIMIT", timeInForce: "GTC", reduceOnly: false, clientOrderId: "", builderCode: "" } as const
    const size = { price: priceE8 / unitScale, quantity: quantityOf(instrument, lots) }
    ask({ _tag: "PlaceOrder", ...common, commandId: next(), side, ...kind, ...size })
  }
}

/** Sets fee tiers, and deposits money for traders who have lost nearly everything. */
function begin(month: Month, day: number): void {
  month.day = day
  const volumes = volumesBefore(month, day)
  for (const [userId, { trader }] of month.traders) {
    change(month, userId, { _tag: "SetTier", day, effectiveVolume: volumes.get(userId) ?? 0n })
    for (const accountId of Ledger.accountIds(trader)) {
      if (Ledger.balance(trader, accountId)!.equity < leastUsd) credit(month, userId, accountId)
    }
    move(month, userId)
  }
}

/** Returns the effective volume of each user over the counted days, in 1e-6 USD. */
function volumesBefore({ markets }: Month, day: number): ReadonlyMap<UserId, bigint> {
  const volumes = new Map<UserId, bigint>()
  for (const { log, stream } of markets) {
    for (const event of log) {
      if (event._tag !== "Traded" || event.atMillis < (day - volumeDays) * dayMillis) continue
      for (const { order } of [event.maker, event.taker]) {
        const volume = effectiveVolume(stream.instrument, BigInt(event.notional))
        volumes.set(order.userId, (volumes.get(order.userId) ?? 0n) + volume)
      }
    }
  }
  return volumes
}

/** Transfers part of a withdrawable balance to another account of the same user. */
function move(month: Month, userId: UserId): void {
  const { trader } = month.traders.get(userId)!
  const accountIds = Ledger.accountIds(trader)
  const [fromAccountId, toAccountId] = [month.chance.pick(...accountIds), month.chance.pick(...accountIds)]
  const amount = Ledger.balance(trader, fromAccountId)!.withdrawable / 4n
  if (fromAccountId === toAccountId || amount === 0n) return
  const transferId = `transfer-${++month.lastId}`
  change(month, userId, { _tag: "Transfer", transferId, fromAccountId, toAccountId, amount })
}

const leastUsd = 500_000_000n
const maker = UserId.make("maker")
const providedUsd = 50_000_000_000
/** 20,000 USD on either side, in 1e-16 USD. */
const quotedE16 = 20_000e16
