/** Independent implementation of splits: each holding separately, exact numbers. */
import { AccountId } from "@venue/domain/AccountId"
import { fundAccountId, fundUserId, type SplitContract } from "@venue/domain/Split"
import type { TwapEnding } from "@venue/domain/Twap"
import { type Emit, endStop, leave } from "./TwinMatch.ts"
import { book, holding, type Twin } from "./TwinState.ts"
import * as Stops from "./TwinStops.ts"
import * as Takeovers from "./TwinTakeovers.ts"
import * as TwinTwaps from "./TwinTwaps.ts"

export const cancelOrders = (twin: Twin, nowMillis: number, emit: Emit): void => {
  twin.timeMillis = Math.max(twin.timeMillis, nowMillis)
  endOrders(twin, "REQUEST", emit)
}

const endOrders = (twin: Twin, ending: TwapEnding, emit: Emit): void => {
  for (const account of [...twin.owners.keys()].sort()) {
    const own = twin.resting.filter(({ order }) => order.accountId === account)
    for (const resting of own.sort((one, other) => one.acceptedNumber - other.acceptedNumber))
      leave(twin, resting, null, "CANCELLED", emit)
    for (const stop of Stops.ofAccount(twin, AccountId.make(account))) endStop(twin, stop, null, emit)
  }
  TwinTwaps.end(twin, () => true, ending, null, emit)
}

export const split = (twin: Twin, command: SplitContract, nowMillis: number, emit: Emit): void => {
  const { denominator, exDay, numerator } = command
  if (twin.letsIn !== "HALTED" || twin.prices === undefined || exDay <= twin.lastSplitDay) return
  const [a, b] = [BigInt(numerator), BigInt(denominator)]
  const renewed = (old: number) => Number((BigInt(old) * b) / a)
  const mark = BigInt(renewed(twin.prices.freshMarkE8))
  /** Returns the value of fractional lots in 1e-6 USD, rounded down. One lot has `perLot` parts. */
  const worth = (parts: bigint, perLot: bigint) => {
    const exact = parts * BigInt(twin.instrument.lotE8) * mark
    const micro = perLot * 10n ** 10n
    return exact / micro - (exact % micro < 0n ? 1n : 0n)
  }
  const closed = [...twin.holdings].map(([account, held]) => {
    const size = BigInt(Math.abs(held.quantity)) * a
    const left = size % b
    const sign = held.quantity < 0 ? -1n : 1n
    const cost = size === 0n ? 0n : (held.basis * left) / size
    return { account, quantity: Number((sign * (size - left)) / b), received: worth(sign * left, b), cost }
  })
  const received = closed.reduce((sum, each) => sum + each.received, 0n)
  if (received > twin.reserveFund) return
  twin.timeMillis = Math.max(twin.timeMillis, nowMillis)
  Takeovers.giveUpAll(twin, emit)
  endOrders(twin, "SPLIT", emit)
  for (const { account, cost, quantity, received: got } of closed) {
    const held = twin.holdings.get(account)!
    held.quantity = quantity
    held.basis -= cost
    held.cash += got
  }
  twin.reserveFund -= received
  const fundLots = 0 - closed.reduce((sum, { quantity }) => sum + quantity, 0)
  const price = worth(BigInt(fundLots), 1n)
  if (fundLots !== 0) {
    const fund = holding(twin, fundAccountId)
    twin.owners.set(fundAccountId, fundUserId)
    const size = price < 0n ? -price : price
    book(fund, fundLots > 0 ? "BUY" : "SELL", Math.abs(fundLots), size, 0n)
    fund.funding += price
  }
  const remainder = Number(price - received)
  twin.lastSplitDay = exDay
  twin.lastSplitMillis = twin.timeMillis
  twin.prices = { ...twin.prices, freshMarkE8: renewed(twin.prices.freshMarkE8) }
  twin.inForce.forEach(({ fromMillis, priceE8 }, at) => {
    if (priceE8 !== undefined) twin.inForce[at] = { fromMillis, priceE8: renewed(priceE8) }
  })
  const atMillis = twin.timeMillis
  emit({ _tag: "ContractSplit", exDay, numerator, denominator, markE8: Number(mark), fundLots, remainder, atMillis })
}
