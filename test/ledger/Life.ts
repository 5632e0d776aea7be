/** Random life of one trader, compared at every step with a twin that recomputes everything. */
import { AccountId } from "@venue/domain/AccountId"
import { feeOf } from "@venue/domain/Fee"
import type { Id } from "@venue/domain/Id"
import { type Instrument, notional, quantityOf } from "@venue/domain/Instrument"
import type { Modify, Place, TraderCommand } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Order, Side } from "@venue/domain/Order"
import type { OrderRefusal } from "@venue/domain/Reject"
import * as Ledger from "@venue/ledger/Ledger"
import { assert } from "@effect/vitest"
import { Result } from "effect"
import { id } from "../Id.ts"
import { aapl, alice, decimalPrice, gold, instruments, make, pricedAt } from "./Scene.ts"
import * as LifeTreasury from "./LifeTreasury.ts"
import type { Step } from "./Steps.ts"
import * as Twin from "./Twin.ts"

const symbols = [aapl, gold]
const accountIds = [alice, "sub"]
const maxOpenOrders = 6
const levels: Record<string, number> = {
  [`${alice} ${aapl}`]: 10,
  [`${alice} ${gold}`]: 30,
  [`sub ${aapl}`]: 3,
  [`sub ${gold}`]: 7
}
const basePrice: Record<string, number> = { [aapl]: 200, [gold]: 3_400 }

type Sent = { readonly command: Place | Modify; readonly symbol: MarketSymbol }

export const live = () => {
  const scene = make({ maxOpenOrdersPerAccount: maxOpenOrders })
  const { trader } = scene
  const twin: Twin.Twin = {
    instruments,
    symbols,
    deposits: new Map(accountIds.map((accountId) => [accountId, 0n])),
    leverages: new Map(Object.entries(levels)),
    marks: new Map(),
    tier: { day: 0, volume: 0n },
    orders: [],
    fills: [],
    payments: [],
    rewards: null
  }
  const treasury = LifeTreasury.make(scene, twin, AccountId.make(alice))
  let sent: Array<Sent> = []
  const resting = new Map<string, { order: Order; readonly symbol: MarketSymbol }>()
  let lastId = 0

  const reprice = (symbol: MarketSymbol, price: number) => {
    scene.prices.set(symbol, pricedAt(symbol, price))
    twin.marks.set(symbol, scene.prices.get(symbol)!.markE8)
  }
  scene.ask({ _tag: "OpenAccount", accountId: AccountId.make("sub") })
  for (const symbol of symbols) reprice(MarketSymbol.make(symbol), basePrice[symbol]!)
  for (const accountId of accountIds) {
    for (const symbol of symbols) {
      const leverage = levels[`${accountId} ${symbol}`]!
      scene.ask({ _tag: "SetLeverage", accountId: AccountId.make(accountId), symbol, leverage })
    }
  }
  const book = (accountId: string, amount: bigint) =>
    twin.deposits.set(accountId, twin.deposits.get(accountId)! + amount)
  const money = (accountId: AccountId, amount: bigint) => {
    const decided = scene.ask({ _tag: "Credit", creditId: `credit-${++lastId}`, accountId, amount, reason: "" })
    const allowed = amount > 0n || (amount < 0n && Twin.balance(twin, accountId).available + amount >= 0n)
    assert.strictEqual(Result.isSuccess(decided), allowed, "I11: credit")
    if (allowed) book(accountId, amount)
  }
  const move = (from: string, to: string, amount: bigint) => {
    const before = Twin.balance(twin, AccountId.make(from))
    const decided = scene.ask({
      _tag: "Transfer",
      transferId: `move-${++lastId}`,
      fromAccountId: AccountId.make(from),
      toAccountId: AccountId.make(to),
      amount
    })
    const allowed = amount > 0n && amount <= before.withdrawable
    assert.strictEqual(Result.isSuccess(decided), allowed, "I17: transfer")
    if (!allowed) return
    book(from, -amount)
    book(to, amount)
    assert.isTrue(Twin.balance(twin, AccountId.make(from)).available >= 0n, "I11: what left was there")
  }
  /** Sets the tier of a new day, or sets a day's tier again. */
  const tier = ({ offset, pick, size }: Step) => {
    const day = twin.tier.day + (pick % 3) - 1
    const volume =
      BigInt([0, 1, 2, 9, 10, 49, 50, 249, 250, 1_000][size % 10]!) * 1_000_000_000_000n + BigInt(Math.abs(offset))
    const decided = scene.ask({ _tag: "SetTier", day, effectiveVolume: volume })
    assert.lengthOf(Result.getOrThrow(decided), day > twin.tier.day ? 1 : 0, "a day has one tier")
    if (day > twin.tier.day) twin.tier = { day, volume }
  }
  const decimals = (instrument: Instrument, { offset, size, symbol }: Step) => {
    const mark = twin.marks.get(symbols[symbol]!)!
    const ticks = Math.round((mark * (10_000 + offset)) / 10_000 / instrument.tickE8)
    const lots = size * instrument.minQuantityLots * 5
    return { ticks, lots, price: decimalPrice(instrument.symbol, ticks), quantity: quantityOf(instrument, lots) }
  }

  const refused = (command: TraderCommand, status: OrderRefusal, symbol: MarketSymbol) => {
    assert.deepInclude(command, { _tag: "Refuse", status })
    scene.refuse(command, status, symbol)
  }

  const place = (step: Step) => {
    const symbol = symbols[step.symbol]!
    const accountId = accountIds[step.account]!
    const held = Number(Twin.quantity(twin, AccountId.make(accountId), symbol))
    const isFlat = step.style === "FLAT" && Math.abs(held) >= instruments.get(symbol)!.minQuantityLots
    const side: Side = (isFlat ? held < 0 : step.buy) ? "BUY" : "SELL"
    const { price, ticks, ...asked } = decimals(instruments.get(symbol)!, step)
    const lots = isFlat ? Math.abs(held) : asked.lots
    const quantity = quantityOf(instruments.get(symbol)!, lots)
    const isMarket = step.style === "MARKET"
    const reduceOnly = step.style === "REDUCE"
    const { lowerTicks, upperTicks } = scene.prices.get(symbol)!
    const commandId = id(`order-${++lastId}`)
    const order: Twin.TwinOrder = {
      orderId: commandId.text,
      accountId: AccountId.make(accountId),
      symbol,
      side,
      reduceOnly,
      rests: step.style === "GTC" || step.style === "FLAT" || reduceOnly,
      market: isMarket,
      accepted: false,
      states: [{ commandId: "", price: isMarket ? (side === "BUY" ? upperTicks : lowerTicks) : ticks, lots }]
    }
    const tooMany = order.rests && Twin.openOrders(twin, AccountId.make(accountId)) >= maxOpenOrders
    const expected = tooMany ? "REJECTED_TOO_MANY_OPEN_ORDERS" : Twin.allows(twin, order) ? null : "FAILED_MARGIN_CHECK"
    const worst = isMarket && expected === null ? Twin.worst(twin, order) : 0
    const addsRisk = !reduceOnly && !Twin.onlyReduces(twin, order)
    const command = scene.enter(side, quantity, price, {
      commandId,
      symbol,
      accountId: AccountId.make(accountId),
      reduceOnly,
      type: isMarket ? "MARKET" : "LIMIT",
      timeInForce: order.rests ? "GTC" : "IOC"
    })
    if (addsRisk && Twin.isInLiquidation(twin, AccountId.make(accountId)))
      return refused(command, "USER_IN_LIQUIDATION", symbol)
    if (command._tag !== "Place") return assert.fail(`${command._tag} in place of a placement`)
    assert.strictEqual(command.finding, expected, "finding of a placement")
    const { makerRate, takerRate } = command
    assert.deepStrictEqual({ makerRate, takerRate }, Twin.rates(twin, symbol), "rates of a placement")
    if (isMarket && expected === null)
      assert.strictEqual(command.priceTicks, worst, "the worst price of a MARKET order")
    if (expected === null) twin.orders.push(order)
    if (expected === null && addsRisk)
      assert.isTrue(Ledger.balance(trader, AccountId.make(accountId))!.available >= 0n, "I27")
    sent.push({ command, symbol })
  }

  const modify = (step: Step) => {
    const all = [...resting.values()]
    if (all.length === 0) return
    const { order, symbol } = all[step.pick % all.length]!
    const { lots, price, quantity, ticks } = decimals(instruments.get(symbol)!, {
      ...step,
      symbol: symbols.indexOf(symbol)
    })
    const known = twin.orders.find(({ orderId }) => orderId === order.orderId.text)!
    const current = known.states[0]!
    const commandId = id(`modify-${++lastId}`)
    const state = {
      commandId: commandId.text,
      price: step.pick % 3 === 0 ? current.price : ticks,
      lots: step.pick % 5 === 0 ? current.lots : lots
    }
    const shrinks = state.price === current.price && state.lots <= current.lots && known.states.length === 1
    const isWhole = order.remainingLots === order.quantityLots
    const allowed = !isWhole || shrinks || Twin.allows(twin, { ...known, states: [state] })
    const command = scene.modification(order, step.pick % 3 === 0 ? 0 : price, step.pick % 5 === 0 ? 0 : quantity, {
      commandId,
      symbol
    })
    const grows = !known.reduceOnly && !shrinks && !Twin.onlyReduces(twin, { ...known, states: [state] })
    if (grows && Twin.isInLiquidation(twin, known.accountId))
      return refused(command, isWhole ? "USER_IN_LIQUIDATION" : "CANNOT_MODIFY_PARTIAL_FILL", symbol)
    if (command._tag !== "Modify") return assert.fail(`${command._tag} in place of a modify`)
    assert.strictEqual(command.finding, allowed ? null : "FAILED_MARGIN_CHECK", "finding of a modify")
    if (allowed && isWhole) replace({ ...known, states: [...known.states, state] })
    sent.push({ command, symbol })
  }
  const replace = (order: Twin.TwinOrder) => {
    twin.orders = twin.orders.map((other) => (other.orderId === order.orderId ? order : other))
  }
  const forget = ({ text }: Id) => {
    twin.orders = twin.orders.filter(({ orderId }) => orderId !== text)
    resting.delete(text)
  }

  const outcome = (step: Step) => {
    if (sent.length === 0) return
    const next = sent[step.pick % sent.length]!
    sent = sent.filter((other) => other !== next)
    if (next.command._tag === "Place") placeOutcome(next.command, next.symbol, step)
    else modifyOutcome(next.command, next.symbol, step)
  }
  const placeOutcome = (command: Place, symbol: MarketSymbol, step: Step) => {
    if (command.finding !== null || step.size > 35) {
      if (command.finding === null) forget(command.commandId)
      if (step.size > 37) Ledger.release(trader, symbol, command.commandId)
      return scene.refuse(command, command.finding ?? "EXPIRED", symbol)
    }
    const order = scene.accept(command, symbol)
    replace({ ...twin.orders.find(({ orderId }) => orderId === order.orderId.text)!, accepted: true })
    resting.set(order.orderId.text, { order, symbol })
    check()
    if (command.timeInForce === "GTC") return
    if (step.buy) fill(order, symbol, step)
    const left = resting.get(order.orderId.text)
    if (left === undefined) return
    scene.end(
      left.order,
      left.order.remainingLots < order.quantityLots ? "IOC_PARTIALLY_FILLED" : "IOC_CANCELLED",
      symbol
    )
    forget(order.orderId)
  }
  const modifyOutcome = (command: Modify, symbol: MarketSymbol, step: Step) => {
    const rested = resting.get(command.orderId.text)
    const known = twin.orders.find(({ orderId }) => orderId === command.orderId.text)
    const [, ...maybe] = known?.states ?? []
    const rest = maybe.filter(({ commandId }) => commandId !== command.commandId.text)
    const refused =
      rested === undefined || command.finding !== null || rested.order.remainingLots < rested.order.quantityLots
    if (refused || step.size > 30) {
      if (known !== undefined) replace({ ...known, states: [known.states[0]!, ...rest] })
      return scene.refuse(command, "CANNOT_MODIFY_PARTIAL_FILL", symbol)
    }
    const { order } = rested
    const priceTicks = command.priceTicks === 0 ? order.priceTicks : command.priceTicks
    const quantityLots = command.quantityLots === 0 ? order.quantityLots : command.quantityLots
    rested.order = { ...order, priceTicks, quantityLots, remainingLots: quantityLots }
    scene.observe(
      { _tag: "Modified", commandId: command.commandId, order: rested.order, requeued: true, atMillis: 0 },
      symbol
    )
    replace({ ...known!, states: [{ commandId: "", price: priceTicks, lots: quantityLots }, ...rest] })
    check()
    scene.observe(
      {
        _tag: "Done",
        commandId: command.commandId,
        expiresAtMillis: 0,
        userId: alice,
        accountId: order.accountId,
        atMillis: 0
      },
      symbol
    )
  }

  const fill = (order: Order, symbol: MarketSymbol, step: Step) => {
    const lots = step.pick % 3 === 0 ? order.remainingLots : 1 + ((step.pick * 7) % order.remainingLots)
    const known = twin.orders.find(({ orderId }) => orderId === order.orderId.text)!
    const [current, ...maybe] = known.states
    const better = Math.abs(step.offset)
    const ticks = Math.max(1, current!.price + (order.side === "BUY" ? -better : better))
    const value = notional(instruments.get(symbol)!, ticks, lots)
    const fee = feeOf(value, 100_000)
    const filled = scene.trade(order, lots, ticks, symbol, fee)
    twin.fills.push({ accountId: order.accountId, symbol, side: order.side, lots, notional: value, fee })
    if (filled.remainingLots === 0) return forget(order.orderId)
    resting.set(order.orderId.text, { order: filled, symbol })
    replace({ ...known, states: [{ ...current!, lots: filled.remainingLots }, ...maybe] })
  }
  /** Rates reach 13 bps in either direction, far more than an hour can produce. */
  const hour = (symbol: MarketSymbol, step: Step) => {
    const { markE8 } = scene.prices.get(symbol)!
    const rateE12 = step.offset * 1_000_000 + step.pick
    const funded = { rateE12, markE8, remainder: 0, fromMillis: 0, skipped: false, atMillis: 0 } as const
    scene.observe({ _tag: "Funded", ...funded }, symbol)
    twin.payments.push({
      symbol,
      fills: twin.fills.length,
      perLot: Twin.perLotOfHour(instruments.get(symbol)!, funded)
    })
  }
  /** The first reward makes the trader a builder. */
  const reward = (symbol: MarketSymbol, { offset, size }: Step) => {
    const decided = scene.ask({ _tag: "AppointBuilder", builderCode: "code", symbols: [symbol] })
    assert.isTrue(Result.isSuccess(decided))
    const amount = size * (1_400 + offset) * 1_000
    scene.reward(amount, symbol)
    twin.rewards = (twin.rewards ?? 0n) + BigInt(amount)
  }
  const ofResting = (step: Step, then: (order: Order, symbol: MarketSymbol) => void) => {
    const all = [...resting.values()]
    if (all.length > 0) then(all[step.pick % all.length]!.order, all[step.pick % all.length]!.symbol)
  }

  /** Leaves a market, which is allowed without position, orders and builder rewards there. */
  const leaves = () => {
    for (const symbol of symbols) Ledger.apply(trader, { _tag: "Joined", symbol: MarketSymbol.make(symbol) })
    const decided = Ledger.decide(trader, { _tag: "LeaveMarkets", symbols }, 0)
    assert.deepStrictEqual(
      Result.getOrThrow(decided).map((left) => left._tag === "Left" && left.symbol),
      symbols.filter(
        (symbol) =>
          !trader.builderMarkets.has(symbol) &&
          !twin.orders.some((order) => order.symbol === symbol) &&
          accountIds.every(
            (accountId) =>
              Twin.quantity(twin, AccountId.make(accountId), symbol) === 0n &&
              Ledger.pending(trader, AccountId.make(accountId), symbol) === 0
          )
      )
    )
  }
  const check = () => {
    leaves()
    for (const accountId of accountIds) {
      assert.deepStrictEqual(
        Ledger.balance(trader, AccountId.make(accountId)),
        Twin.balance(twin, AccountId.make(accountId))
      )
      const open = Ledger.orders(trader, AccountId.make(accountId))
        .map(({ order }) => order.orderId.text)
        .sort()
      assert.deepStrictEqual(
        open,
        twin.orders
          .filter((order) => order.accepted && order.accountId === accountId)
          .map(({ orderId }) => orderId)
          .sort()
      )
      for (const symbol of symbols) {
        const waiting = sent.filter(({ command, symbol: name }) => name === symbol && command.accountId === accountId)
        assert.isAtLeast(Ledger.pending(trader, AccountId.make(accountId), symbol), waiting.length)
      }
      for (const holding of Ledger.holdings(trader, AccountId.make(accountId))) {
        assert.strictEqual(BigInt(holding.quantityLots), Twin.quantity(twin, AccountId.make(accountId), holding.symbol))
        assert.strictEqual(holding.marginHeld, Twin.positionMargin(twin, AccountId.make(accountId), holding.symbol))
      }
    }
  }

  const take = (step: Step) => {
    const other = accountIds[1 - step.account]!
    const accountId = accountIds[step.account]!
    switch (step.kind) {
      case "place":
        return place(step)
      case "modify":
        return modify(step)
      case "outcome":
        return outcome(step)
      case "price":
        return reprice(
          MarketSymbol.make(symbols[step.symbol]!),
          basePrice[symbols[step.symbol]!]! * (1 + step.offset / 12_000) + step.pick / 1e8
        )
      case "fill":
        return ofResting(step, (order, symbol) => fill(order, symbol, step))
      case "end":
        return ofResting(step, (order, symbol) => {
          scene.end(order, "CANCELLED", symbol)
          forget(order.orderId)
        })
      case "hour":
        return hour(MarketSymbol.make(symbols[step.symbol]!), step)
      case "reward":
        return reward(MarketSymbol.make(symbols[step.symbol]!), step)
      case "money":
        return money(AccountId.make(accountId), BigInt(step.offset * 997) * 1_000n)
      case "tier":
        return tier(step)
      case "move":
        return move(accountId, other, BigInt(step.size * step.pick) * 50_001n - 1_000n)
      default:
        return treasury.take(step, step.kind)
    }
  }
  /** Ends every in-flight command without effect. */
  const settle = () => {
    for (const { command, symbol } of sent) scene.refuse(command, "EXPIRED", symbol)
    sent = []
    twin.orders = twin.orders
      .filter(({ accepted }) => accepted)
      .map((order) => ({ ...order, states: [order.states[0]!] }))
    check()
    for (const accountId of accountIds) {
      for (const symbol of symbols) assert.strictEqual(Ledger.pending(trader, AccountId.make(accountId), symbol), 0)
    }
  }
  /** Ends every order, after which nothing is held. */
  const clear = () => {
    for (const { order, symbol } of resting.values()) scene.end(order, "CANCELLED", symbol)
    for (const accountId of accountIds)
      assert.strictEqual(Ledger.balance(trader, AccountId.make(accountId))!.orderMargin, 0n)
  }
  return { take, check, settle, clear, money }
}
