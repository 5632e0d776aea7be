/** Random command streams of one market, reproducible from a seed. */
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { type Instrument, initialInstruments } from "@venue/domain/Instrument"
import type { Liquidate, OpenTakeover } from "@venue/domain/Liquidation"
import { positionLimitUsd } from "@venue/domain/Leverage"
import type { Finding, MarketCommand, Place, TraderCommand } from "@venue/domain/Market"
import type { Bracket, OrderType, Side, TimeInForce } from "@venue/domain/Order"
import { orderIdFrom } from "@venue/domain/OrderId"
import { fundAccountId } from "@venue/domain/Split"
import { UserId } from "@venue/domain/UserId"
import { id } from "../../Id.ts"
import { chanceOf } from "../Chance.ts"
import { names } from "../CommandIds.ts"
import { doesEnd, doesSplit, ending, introducing, splitting, type Step } from "./OperatorSteps.ts"
import { liquidating } from "./StreamTakeovers.ts"
import { slicing } from "./StreamTwaps.ts"

export interface Stream {
  readonly seed: number
  readonly instrument: Instrument
  readonly maxOpenOrders: number
  readonly steps: ReadonlyArray<Step>
}

/**
 * `slow`: prices turn stale and outcomes expire between commands. `hourly`: some commands are followed by the end of an
 * hour, books are deep, and most prices come from the operator. `month`: thirty `hourly` days.
 */
export type Pace = "usual" | "slow" | "hourly" | "month"

/** An instrument and its starting price. */
export type Listing = readonly [Instrument, number]

export const listings: ReadonlyArray<Listing> = [
  [initialInstruments[0]!, 200_00000000],
  [initialInstruments[6]!, 3400_00000000],
  [initialInstruments[11]!, 1_08500000]
]

/** From this Tuesday on, thirty days include four weekends and the end of daylight saving time in America. */
export const monthStart = Date.UTC(2026, 9, 20, 15)
export const monthEnd = monthStart + 30 * 86_400_000

export const make = (seed: number, commands?: number, pace: Pace = "usual", listing?: Listing): Stream => {
  const chance = chanceOf(seed)
  const { percent, pick, whole } = chance
  const isMonth = pace === "month"
  const isHourly = pace === "hourly" || isMonth
  const [instrument, listedAt] = listing ?? pick(listings[0]!, ...listings)
  let startPrice = listedAt
  const { lotE8, tickE8 } = instrument
  /** Number of lots worth about 20 USD, which is twice the minimum order value. */
  let unit = Math.ceil(20e16 / (startPrice * lotE8))
  const nameCommand = names(chance, pick("random", "series", "alike"))
  const users = ["ann", "ben", "cat", "dan", "eve", "fay"].slice(0, pick(2, 3, 4, 6, 6))
  const accounts = users.flatMap((user) => [user, `${user}/1`, `${user}/2`].slice(0, pick(1, 1, 2, 3)))
  const epochs = new Map(users.map((user) => [user, 1]))
  const spread = pick(2, 2, 6, 30)
  const tight = percent(20)
  const huge = isHourly ? 60 : pick(0, 0, 5, 60)
  const reducing = pick(5, 15, 40)
  const bracketing = pick(0, 10, 40)
  const stopping = Math.max(isMonth ? 10 : 0, pick(0, 10, 40))
  /** Percentage of orders priced on their own side of the mid price, to rest. */
  const patience = pick(30, 60, 85)
  const leaping = isMonth ? 20 : isHourly ? pick(2, 5, 20) : 0
  const steps: Array<Step> = []
  /** The last orders of each account. */
  const placed = new Map<AccountId, ReadonlyArray<Place>>()
  let oracleE8 = startPrice
  let isSplit = !(isMonth && doesSplit(seed))
  // Starts while the stock exchange is open, between two sessions, or during the weekend.
  let atMillis = isMonth
    ? monthStart
    : pick(Date.UTC(2026, 10, 20, 15), Date.UTC(2026, 10, 20, 3), Date.UTC(2026, 10, 21, 15))
  /** Lots that fill the weekend's open-interest limit. */
  const crowdLots = Math.floor((positionLimitUsd(instrument) * 1e16) / (startPrice * lotE8))
  const weekend = new Date(atMillis).getUTCDay() === 6
  const lastMillis = atMillis + 30 * 86_400_000

  // Advances to the next command's time before that command is drawn, so that some commands expire exactly at that
  // time.
  const add = (command: MarketCommand) => {
    steps.push({ atMillis: percent(3) ? atMillis - 2_000 : atMillis, command })
    atMillis += whole(0, percent(5) ? (pace === "slow" ? 90_000 : 3_000) : 300)
    const fromMillis = atMillis
    if (percent(leaping)) atMillis = leapt(fromMillis)
    if (isMonth) notice(fromMillis)
  }
  /** Adds ticks at the ends of most hours up to now, some of them late. */
  const notice = (fromMillis: number) => {
    for (let end = Math.ceil(fromMillis / 3_600_000) * 3_600_000; end < atMillis; end += 3_600_000) {
      if (percent(95)) steps.push({ atMillis: Math.min(atMillis, end + whole(0, 60_000)), command: { _tag: "Tick" } })
    }
  }
  /** Returns a later time, often close to the end of an hour or to its funding deadline, one minute later. */
  const leapt = (fromMillis: number): number => {
    const nextHour = (Math.floor(fromMillis / 3_600_000) + 1) * 3_600_000
    if (percent(50)) return fromMillis + whole(0, pick(60_000, 600_000))
    return nextHour + pick(-1, 0, 0, whole(1, 59_999), whole(1, 59_999), 60_000, 60_001, 3_600_000)
  }
  const envelope = (accountId: AccountId) => {
    const userId = accountId.split("/")[0]!
    return {
      commandId: nameCommand(),
      expiresAtMillis: percent(3) ? atMillis + pick(-3_000, -1, 0, 1) : lastMillis,
      traderEpoch: epochs.get(userId)! - (percent(2) ? 1 : 0),
      userId: UserId.make(userId),
      accountId
    }
  }
  const terms = () => ({
    makerRate: pick(20_000, 7_500, 0),
    takerRate: pick(100_000, 45_000, 22_500),
    maxNotional: (tight ? pick(200, 400, 1_000) : pick(3_750_000, 100_000_000)) * 1_000_000,
    leverage: pick(1, 3, 7, instrument.maxLeverage),
    finding: (percent(3) ? pick("REJECTED_TOO_MANY_OPEN_ORDERS", ...marginal) : null) as Finding
  })
  const near = (side: Side): number => {
    const centre = Math.round(oracleE8 / tickE8)
    if (percent(2)) return pick(1, centre * 2, Math.round(centre * 1.29), Math.round(centre * 0.71))
    if (percent(huge > 5 ? 25 : 4))
      return centre + Math.round(centre * pick(-0.12, -0.1, -0.05, -0.02, 0.02, 0.05, 0.1, 0.12))
    const away = percent(patience) ? whole(1, spread + 1) : whole(-spread, 1)
    return centre + (side === "BUY" ? -away : away)
  }
  const size = (): number => {
    if (percent(huge)) return pick(unit * 1_000, unit * 9_999, unit * 40_000, instrument.maxQuantityLots)
    if (percent(5)) return pick(1, Math.floor(unit / 2), Math.floor(unit / 2) + 1, instrument.minQuantityLots)
    return percent(70) ? unit * whole(1, 6) : whole(Math.ceil(unit / 2), unit * 5)
  }
  const mine = (accountId: AccountId): Place | undefined => {
    const own = placed.get(accountId)
    return own === undefined ? undefined : pick(...own)
  }

  const place = (accountId: AccountId, given: Partial<Place> = {}): Place => {
    const side = given.side ?? pick<Side>("BUY", "SELL")
    const [type, timeInForce] = percent(58) ? restingKind : pick(...kinds)
    const command: Place = {
      _tag: "Place",
      ...envelope(accountId),
      ...terms(),
      side,
      type,
      timeInForce,
      priceTicks: type === "MARKET" ? pick(0, 0, near(side)) : near(side),
      quantityLots: size(),
      reduceOnly: percent(reducing),
      clientOrderId: pick("", ...tags),
      builderCode: pick("", "", "code"),
      origin: pick("USER", "USER", "CLOSE_POSITION"),
      ...given
    }
    if (!given.type && percent(bracketing)) Object.assign(command, { bracket: bracketOf(command) })
    if (command.timeInForce === "GTC" || command.type !== "LIMIT") {
      placed.set(accountId, [...(placed.get(accountId) ?? []), command].slice(-4))
    }
    add(command)
    return command
  }
  /** Returns attached stop prices. Most are close to the price and on its correct side. */
  const bracketOf = ({ priceTicks, side, takerRate }: Place): Bracket => {
    const step = (side === "BUY" ? 1 : -1) * (percent(95) ? 1 : -1)
    const from = priceTicks === 0 ? Math.round(oracleE8 / tickE8) : priceTicks
    const takeProfitTicks = percent(75) ? Math.max(1, from + step * whole(1, 2 * spread)) : 0
    return { takeProfitTicks, stopLossTicks: Math.max(1, from - step * whole(1, 2 * spread)), takerRate }
  }
  const modifyOrder = (target: Place, accountId: AccountId, priceTicks: number, quantityLots: number) => {
    const { side } = target
    add({
      _tag: "Modify",
      ...envelope(accountId),
      ...terms(),
      finding: percent(3) ? pick(...marginal) : null,
      orderId: orderIdFrom(percent(4) ? id("nothing") : target.commandId),
      side: percent(4) ? opposite(side) : side,
      type: percent(4) ? "ALO" : target.type,
      priceTicks,
      quantityLots,
      reduceOnly: percent(4) ? !target.reduceOnly : target.reduceOnly,
      ...(percent(bracketing) ? { takeProfitTicks: pick(0, near(side)) } : {}),
      ...(percent(bracketing) ? { stopLossTicks: pick(0, near(side)) } : {})
    })
  }
  const modify = (accountId: AccountId) => {
    const target = mine(accountId)
    if (target === undefined) return place(accountId)
    const quantity = percent(40) ? 0 : percent(40) ? Math.ceil(target.quantityLots / whole(2, 3)) : size()
    modifyOrder(
      target,
      AccountId.make(percent(6) ? pick(...accounts) : accountId),
      percent(45) ? 0 : near(target.side),
      quantity
    )
  }
  /** Rests several orders against a new position, some reduce-only. Another account then takes all of them. */
  const takeAll = (accountId: AccountId) => {
    const other = pick(...accounts)
    const side = pick<Side>("BUY", "SELL")
    const priceTicks = Math.round(oracleE8 / tickE8) + whole(-spread, spread)
    const step = side === "BUY" ? 1 : -1
    const limit = {
      type: "LIMIT",
      timeInForce: "GTC",
      finding: null,
      quantityLots: unit * whole(3, 6),
      reduceOnly: false
    } as const
    place(accountId, { ...limit, side, priceTicks })
    place(AccountId.make(other), { ...limit, side: opposite(side), priceTicks })
    const resting = Array.from({ length: whole(2, 3) }, () =>
      place(accountId, {
        ...limit,
        side: opposite(side),
        priceTicks: priceTicks + step * whole(1, 3),
        quantityLots: unit * whole(1, 5),
        reduceOnly: percent(65)
      })
    )
    if (percent(50)) modifyOrder(pick(...resting), accountId, priceTicks + step * whole(1, 4), 0)
    const timeInForce = pick<TimeInForce>("FOK", "FOK", "IOC", "GTC")
    const sweeper = percent(75) ? other : pick(...accounts)
    place(AccountId.make(sweeper), {
      ...limit,
      side,
      priceTicks: priceTicks + step * 4,
      quantityLots: unit * whole(2, 12),
      timeInForce
    })
  }
  /** Uses nearly all of the allowed open interest, and then sends an order for the remainder. */
  const crowd = (accountId: AccountId) => {
    const priceTicks = Math.round(oracleE8 / tickE8)
    const limit = { type: "LIMIT", timeInForce: "GTC", finding: null, reduceOnly: false, maxNotional: 1e14 } as const
    place(accountId, { ...limit, side: "SELL", priceTicks, quantityLots: Math.floor(crowdLots * 0.95) })
    place(AccountId.make(pick(...accounts)), {
      ...limit,
      side: "BUY",
      priceTicks,
      quantityLots: Math.floor(crowdLots * 0.95)
    })
    const quantityLots = Math.floor((crowdLots * whole(30, 60)) / 1_000)
    place(AccountId.make(pick(...accounts)), {
      ...limit,
      side: "BUY",
      priceTicks: Math.floor(priceTicks * 1.02),
      quantityLots
    })
  }
  /** Returns a stop near the mark. Most stops are within the account's possible position. */
  const stop = (accountId: AccountId) =>
    place(accountId, {
      type: pick("STOP_LOSS", "TAKE_PROFIT"),
      timeInForce: pick<TimeInForce>("GTC", "GTC", "IOC"),
      priceTicks: Math.max(1, Math.round(oracleE8 / tickE8) + whole(-2 * spread, 2 * spread)),
      quantityLots: percent(70) ? whole(1, unit) : size()
    })
  const cancel = (accountId: AccountId) => {
    const aim = percent(30)
      ? { orderId: null, clientOrderId: pick(...tags, "tag-4") }
      : { orderId: orderIdFrom(mine(accountId)?.commandId ?? id("nothing")), clientOrderId: "" }
    add({ _tag: "Cancel", ...envelope(AccountId.make(percent(12) ? pick(...accounts) : accountId)), ...aim })
  }
  const cancelAll = (accountId: AccountId) => {
    // The cancel of a busy account spares every second one of the newest orders of all accounts.
    const isBusy = (placed.get(accountId)?.length ?? 0) > 2
    const spared = [...placed.values()].flat().filter((_, index) => isBusy && index % 2 === 0)
    const except = spared.map(({ commandId }) => orderIdFrom(commandId))
    add({ _tag: "CancelAll", ...envelope(accountId), cause: pick("REQUEST", "DISCONNECT"), ...(isBusy && { except }) })
  }
  const refuse = (accountId: AccountId) => {
    const numbers = { price: 1.5, quantity: 0.25, clientOrderId: "tag-1", reduceOnly: false }
    const orderId = percent(50) ? (mine(accountId)?.commandId.text ?? "") : ""
    const echo = { orderId, side: "BUY", type: "LIMIT", timeInForce: "GTC", ...numbers } as const
    const status = pick("INVALID_TICK_SIZE_PRECISION_PRICE", "NO_SUCH_ORDER", "REJECTED_FAILED_TO_PROCESS")
    add({ _tag: "Refuse", ...envelope(accountId), status, echo })
  }
  const drift = (by: number) => {
    oracleE8 = Math.round(oracleE8 * (1 + by))
    oracleE8 = Math.min(Math.max(oracleE8, Math.round(startPrice * 0.8)), Math.round(startPrice * 1.2))
  }
  const observe = () => {
    const move = percent(isMonth ? 50 : 85) ? 0.0002 : percent(70) ? 0.005 : isMonth ? 0.03 : 0.06
    drift((move * whole(-100, 100)) / 100)
    const isAbsurd = percent(3)
    const teller = percent(isMonth ? 90 : isHourly ? 60 : 10) ? "operator" : "external"
    // An operator's price is always accepted, so an absurd one would bankrupt every account in a month stream.
    const isExternal = isAbsurd && !(isMonth && teller === "operator")
    add({ _tag: "Observe", priceE8: isExternal ? oracleE8 * 2 : oracleE8, teller })
  }
  /** Moves the price in one direction step by step, which triggers many stops. */
  const run = () => {
    const each = pick(-0.007, -0.003, 0.003, 0.007)
    for (let left = whole(5, 15); left > 0; left--) {
      drift(each)
      add({ _tag: "Observe", priceE8: oracleE8, teller: "operator" })
    }
  }
  const raise = () => {
    const userId = pick(...users)
    epochs.set(userId, epochs.get(userId)! + 1)
    add({ _tag: "RaiseEpoch", userId: UserId.make(userId), traderEpoch: epochs.get(userId)! })
  }
  const split = () => {
    isSplit = true
    add({ _tag: "SetTradingState", state: "HALTED" })
    add({ _tag: "SplitContract", exDay: 30, numerator: 4, denominator: 1 })
    add({ _tag: "SetTradingState", state: "TRADING" })
    oracleE8 = Math.round(oracleE8 / 4)
    startPrice /= 4
    unit *= 4
  }
  const shut = () => add({ _tag: "SetTradingState", state: pick("CANCEL_ONLY", "HALTED") })
  const repeat = () => {
    const earlier = steps
      .slice(-40)
      .map(({ command }) => command)
      .filter(isTraderCommand)
    if (earlier.length > 0) add(pick(...earlier))
  }

  if (percent(15)) pick(place, close, modify, cancel)(AccountId.make(pick(...accounts)))
  add({ _tag: "Observe", priceE8: oracleE8, teller: "external" })
  // Streams whose contract ends stop before the end of the month.
  const endMillis = doesEnd(seed) ? monthEnd - 5 * 86_400_000 : monthEnd
  const isOver = () => isMonth && atMillis >= endMillis
  for (let left = commands ?? (isMonth ? Infinity : whole(60, 120)); left > 0 && !isOver(); left--) {
    const accountId = pick(...accounts)
    const roll = whole(1, 100)
    if (percent(1))
      add({ _tag: "PayDividend", exDay: whole(1, 40), perUnitE8: whole(1, isMonth ? startPrice / 200 : 300_000_000) })
    if (percent(2))
      add({ _tag: "TopUpFund", topUpId: `top-up ${whole(1, 9)}`, amount: whole(1, 9_000_000_000), reason: "" })
    if (isMonth && percent(0.4)) run()
    if (!isSplit && atMillis > monthStart + 15 * 86_400_000) split()
    if (percent(1)) shut()
    else if (percent(20)) add({ _tag: "SetTradingState", state: "TRADING" })
    if (percent(3)) takeAll(AccountId.make(accountId))
    if (percent(stopping)) stop(AccountId.make(accountId))
    if (weekend && huge > 5 && percent(4)) crowd(AccountId.make(accountId))
    if (roll <= 60) place(AccountId.make(accountId))
    else if (roll <= 71) modify(AccountId.make(accountId))
    else if (roll <= 79) cancel(AccountId.make(accountId))
    else if (roll <= 80) cancelAll(AccountId.make(accountId))
    else if (roll <= 84) close(AccountId.make(accountId))
    else if (roll <= 85) refuse(AccountId.make(accountId))
    else if (roll <= 86 && percent(80)) raise()
    else if (roll <= 86) add({ _tag: "PauseSources", paused: percent(30) })
    else if (roll <= 90) observe()
    else if (roll <= 94) add({ _tag: "Tick" })
    else repeat()
  }
  return {
    seed,
    instrument,
    maxOpenOrders: isMonth ? 8 : pick(3, 8, 200),
    steps: ending(
      seed,
      introducing(seed, isMonth ? steps : splitting(seed, liquidating(seed, instrument, slicing(seed, steps))))
    )
  }

  function close(accountId: AccountId): void {
    add({ _tag: "Close", ...envelope(accountId), ...terms(), finding: null, clientOrderId: "flat", builderCode: "" })
  }
}

/** Returns the accounts that might hold something after a command. */
export const accountsIn = (command: MarketCommand): ReadonlyArray<AccountId> =>
  isTraderCommand(command)
    ? [command.accountId]
    : command._tag === "IntroduceBuilder"
      ? [primaryAccountOf(command.ownerId)]
      : command._tag === "SplitContract"
        ? [fundAccountId]
        : []

export const isTraderCommand = (command: MarketCommand): command is TraderCommand => "commandId" in command

/** Returns true for commands that no user sent. */
export const isOfVenue = (command: MarketCommand): command is Liquidate | OpenTakeover =>
  command._tag === "Liquidate" || command._tag === "OpenTakeover"

const opposite = (side: Side): Side => (side === "BUY" ? "SELL" : "BUY")

/** A short tag, one in the form of an id, and the longest allowed tag. */
const tags = ["tag-1", "6b1f0a52-7c2e-4f0e-9a51-0d2f6c9be001", `${"~".repeat(63)}!`] as const

/** The last refusals in a desk's order of checks. */
const marginal = ["REJECTED_TOTAL_OPEN_INTEREST_LIMIT", "FAILED_MARGIN_CHECK"] as const
const restingKind = ["LIMIT", "GTC"] as const
const kinds: ReadonlyArray<readonly [OrderType, TimeInForce]> = [
  ["LIMIT", "IOC"],
  ["LIMIT", "FOK"],
  ["MARKET", "IOC"],
  ["ALO", "GTC"],
  ["ALO", "GTC"]
]
