/**
 * Naive twin (reference implementation): computes past account states event by event from the journals, in whole
 * numbers.
 */
import type { Instrument } from "@venue/domain/Instrument"
import type { MarketEvent } from "@venue/domain/Market"
import type { TraderEvent } from "@venue/domain/Trader"

/** Position in lots and 1e-6 USD. The mark is in 1e-8 USD, or undefined before the first mark. */
export interface Held {
  lots: bigint
  cash: bigint
  cost: bigint
  fees: bigint
  funding: bigint
  rewards: bigint
  mark: bigint | undefined
}

const nothing = (): Held => ({ lots: 0n, cash: 0n, cost: 0n, fees: 0n, funding: 0n, rewards: 0n, mark: undefined })

/** Divides and rounds down, even for negative numbers. */
const floor = (above: bigint, below: bigint): bigint => above / below - (above < 0n && above % below !== 0n ? 1n : 0n)

const size = (number: bigint): bigint => (number < 0n ? -number : number)

/** Returns each account's position in a market at each time, from all earlier events. */
export const heldAt = (
  { lotE8 }: Instrument,
  log: ReadonlyArray<MarketEvent>,
  momentsMillis: ReadonlyArray<number>
): ReadonlyArray<ReadonlyMap<string, Held>> => {
  const accounts = new Map<string, Held>()
  let mark: bigint | undefined
  let next = 0
  const of = (accountId: string): Held => {
    if (!accounts.has(accountId)) accounts.set(accountId, nothing())
    return accounts.get(accountId)!
  }
  return momentsMillis.map((moment) => {
    for (; next < log.length && log[next]!.atMillis < moment; next++) {
      const event = log[next]!
      if (event._tag === "Priced") mark = BigInt(event.freshMarkE8)
      else take(accounts, of, BigInt(lotE8), event)
    }
    return new Map([...accounts].map(([accountId, held]) => [accountId, { ...held, mark }]))
  })
}

function take(accounts: Map<string, Held>, of: (accountId: string) => Held, lotE8: bigint, event: MarketEvent): void {
  switch (event._tag) {
    case "Traded":
      for (const { fee, order, reward } of [event.maker, event.taker]) {
        const sign = order.side === "BUY" ? 1n : -1n
        trade(of(order.accountId), sign, BigInt(event.quantityLots), BigInt(event.notional))
        of(order.accountId).fees += BigInt(fee)
        if (reward !== null) of(reward.ownerId).rewards += BigInt(reward.amount)
      }
      return
    case "Funded":
      for (const held of accounts.values())
        held.funding += floor(-held.lots * lotE8 * BigInt(event.markE8) * BigInt(event.rateE12), 10n ** 22n)
      return
    case "DividendPaid":
      for (const held of accounts.values())
        held.funding += floor(held.lots * lotE8 * BigInt(event.perUnitE8), 10n ** 10n)
      return
    case "ContractSplit": {
      const [news, olds] = [BigInt(event.numerator), BigInt(event.denominator)]
      for (const held of accounts.values()) {
        const units = held.lots * news
        const parts = units % olds
        held.cash += floor(parts * lotE8 * BigInt(event.markE8), olds * 10n ** 10n)
        if (units !== 0n) held.cost -= (held.cost * parts) / units
        held.lots = units / olds
      }
    }
  }
}

function trade(held: Held, sign: bigint, lots: bigint, notional: bigint): void {
  const before = held.lots
  held.lots += sign * lots
  held.cash -= sign * notional
  if (before * sign >= 0n) held.cost += sign * notional
  else if (lots < size(before)) held.cost -= (held.cost * lots) / size(before)
  else held.cost = (sign * notional * (lots - size(before))) / lots
}

export const valueOf = ({ lotE8 }: Instrument, { cost, lots, mark }: Held): bigint =>
  mark === undefined ? cost : floor(lots * BigInt(lotE8) * mark, 10n ** 10n)

/** Returns each account's cash before a given time, from its user's journal. */
export const cashBefore = (journal: ReadonlyArray<TraderEvent>, moment: number): ReadonlyMap<string, bigint> => {
  const cash = new Map<string, bigint>()
  const add = (accountId: string, amount: bigint) => cash.set(accountId, (cash.get(accountId) ?? 0n) + amount)
  for (const event of journal) {
    if (event._tag === "Credited" && event.atMillis < moment) add(event.accountId, event.amount)
    if (event._tag !== "Transferred" || event.atMillis >= moment) continue
    add(event.fromAccountId, -event.amount)
    add(event.toAccountId, event.amount)
  }
  return cash
}

/** Returns each account's daily volume on the book, as maker and as taker. */
export const volumes = (
  log: ReadonlyArray<MarketEvent>
): ReadonlyMap<string, readonly [maker: bigint, taker: bigint]> => {
  const byDay = new Map<string, readonly [bigint, bigint]>()
  for (const event of log) {
    if (event._tag !== "Traded" || event.offBook !== undefined) continue
    const day = Math.floor(event.atMillis / 86_400_000)
    const amount = BigInt(event.notional)
    for (const [{ order }, made, taken] of [
      [event.maker, amount, 0n],
      [event.taker, 0n, amount]
    ] as const) {
      const at = `${order.accountId} ${day}`
      const [maker, taker] = byDay.get(at) ?? [0n, 0n]
      byDay.set(at, [maker + made, taker + taken])
    }
  }
  return byDay
}
