/** One trader's ledger: `decide` and `enter` take commands and requests, `apply` and `observe` recorded events. */
import { type AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { tierOf } from "@venue/domain/Fee"
import type { Id } from "@venue/domain/Id"
import { isLevel } from "@venue/domain/Leverage"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Order, OrderRequest, StopRequest } from "@venue/domain/Order"
import {
  type AppointBuilder,
  type Arm,
  type Credit,
  InsufficientBalance,
  InvalidAmount,
  type LedgerCommand,
  type LedgerCommandOf,
  type LedgerRefusal,
  LeverageInUse,
  NotALevel,
  type OpenAccount,
  SameAccount,
  type SetLeverage,
  type SetTier,
  TooManyAccounts,
  type TraderEvent,
  type Transfer,
  type Transferred,
  UnknownAccount,
  UnknownSymbol
} from "@venue/domain/Trader"
import type { Balance, Holding } from "@venue/domain/Balance"
import { Result } from "effect"
import * as Account from "./Account.ts"
import * as DeadManSwitches from "./DeadManSwitches.ts"
import * as KeptRequests from "./KeptRequests.ts"
import * as Exposure from "./Exposure.ts"
import * as Leaving from "./Leaving.ts"
import type { OrderHold } from "./OrderHold.ts"
import * as Provider from "./Provider.ts"
import * as Referrals from "./Referrals.ts"
import * as Treasury from "./Treasury.ts"
import * as Twaps from "./Twaps.ts"
import { accountOf, release as releaseCommand, type Trader } from "./Trader.ts"

export type { Prices } from "./Account.ts"
export { enter } from "./Entry.ts"
export { preview, type Previewed } from "./Preview.ts"
export { adopt, moves, observe } from "./Events.ts"
export { atRisk } from "./Liquidation.ts"
export { hash, readSnapshot, restore, snapshot, type Snapshot } from "./Snapshot.ts"
export { defaults, make, type Settings, type Trader } from "./Trader.ts"

type Tag = LedgerCommand["_tag"]
type Decided<Refusal> = Result.Result<ReadonlyArray<TraderEvent>, Refusal>
type Decision<Of extends Tag> = Decided<LedgerRefusal<Of>>

const decisions: {
  readonly [Of in Tag]: (trader: Trader, command: LedgerCommandOf<Of>, nowMillis: number) => Decision<Of>
} = {
  Credit: (trader, command, atMillis) =>
    KeptRequests.once(trader, command.request, atMillis, () => credit(trader, command, atMillis)),
  Transfer: (trader, command, atMillis) =>
    KeptRequests.once(trader, command.request, atMillis, () => transfer(trader, command, atMillis)),
  SetLeverage: setLeverage,
  OpenAccount: (trader, command, atMillis) =>
    KeptRequests.once(trader, command.request, atMillis, () => openAccount(trader, command)),
  Arm: arm,
  SetTier: setTier,
  AppointBuilder: appointBuilder,
  AppointProvider: Provider.appoint,
  AddTwap: Twaps.add,
  EndTwaps: (trader, command, atMillis) => Result.succeed(Twaps.end(trader, command, atMillis)),
  ForgetTwaps: (trader, command) => Result.succeed(Twaps.forget(trader, command)),
  LeaveMarkets: (trader, command, atMillis) => Result.succeed(Leaving.leave(trader, command, atMillis)),
  SetDeadManSwitch: DeadManSwitches.set,
  FireDeadManSwitches: (trader, _command, atMillis) => Result.succeed(DeadManSwitches.fire(trader, atMillis)),
  EndFiring: (trader, command) => Result.succeed(DeadManSwitches.endFiring(trader, command)),
  RedeemCode: (trader, command, atMillis) =>
    KeptRequests.once(trader, command.request, atMillis, () => Referrals.redeem(trader, command, atMillis)),
  CreditReferrals: (trader, command, atMillis) => Result.succeed(Referrals.credit(trader, command, atMillis)),
  Deposit: Treasury.deposit,
  ReverseDeposit: Treasury.reverseDeposit,
  Withdraw: (trader, command, atMillis) =>
    KeptRequests.once(trader, command.request, atMillis, () => Treasury.withdraw(trader, command, atMillis)),
  ReturnWithdrawal: Treasury.returnWithdrawal
}

/** Returns the events for the trader's journal; empty if the command is a repeat or has no effect. */
export const decide = <Of extends Tag>(
  trader: Trader,
  command: LedgerCommandOf<Of>,
  nowMillis: number
): Decision<Of> => {
  const tag: Of = command._tag
  return decisions[tag](trader, command, nowMillis)
}

export const apply = (trader: Trader, event: TraderEvent): void => {
  switch (event._tag) {
    case "Credited":
      trader.creditIds.add(event.creditId)
      return Account.deposit(accountOf(trader, event.accountId), event.amount)
    case "Transferred":
      keepTransfer(trader, event)
      Account.deposit(accountOf(trader, event.fromAccountId), -event.amount)
      return Account.deposit(accountOf(trader, event.toAccountId), event.amount)
    case "LeverageSet": {
      const account = accountOf(trader, event.accountId)
      const exposure = account.exposures.get(event.symbol)
      account.leverages.set(event.symbol, event.leverage)
      return exposure === undefined ? undefined : Exposure.setLeverage(exposure, event.leverage)
    }
    case "AccountOpened":
      trader.accounts.set(event.accountId, Account.make(event.accountId))
      return
    case "Joined":
      trader.joined.add(event.symbol)
      trader.left.delete(event.symbol)
      return
    case "Left":
      trader.left.add(event.symbol)
      return
    case "Armed":
      trader.armed.set(event.connectionId, event.accountId)
      return
    case "Disarmed":
      trader.armed.delete(event.connectionId)
      return
    case "TierSet":
      trader.tier = event.tier
      trader.tierDay = event.day
      for (const { exposures } of trader.accounts.values()) {
        for (const exposure of exposures.values()) Exposure.setTier(exposure, event.tier)
      }
      return
    case "BuilderAppointed":
      for (const symbol of event.symbols) trader.builderMarkets.add(symbol)
      accountOf(trader, primaryAccountOf(trader.userId)).isBuilder = true
      return
    case "ProviderAppointed":
      return Provider.apply(trader, event)
    case "TwapAccepted": {
      const { symbol, terms } = event
      trader.twaps.set(terms.twapId, { symbol, terms, progress: undefined, ending: null, sentId: "" })
      return
    }
    case "TwapEnded": {
      const twap = trader.twaps.get(event.twapId)
      if (twap !== undefined) twap.ending = event.ending
      return
    }
    case "TwapForgotten":
      trader.twaps.delete(event.twapId)
      return
    case "RequestKept":
      return KeptRequests.keep(trader, event)
    case "DeadManSwitchSet": {
      const { accountId, askedMillis, dueMillis, firedMillis } = event
      trader.switches.set(accountId, { askedMillis, dueMillis, firedMillis })
      return
    }
    case "Referred":
      trader.referrerId = event.referrerId
      return
    case "ReferralsCredited":
      return Referrals.credited(trader, event)
    case "Deposited":
      return Treasury.deposited(trader, event)
    case "DepositReversed":
      return Treasury.depositReversed(trader, event)
    case "WithdrawalAccepted":
      return Treasury.withdrawalAccepted(trader, event)
    case "WithdrawalReturned":
      return Treasury.withdrawalReturned(trader, event)
  }
}

/** Returns true if the trader might have orders or a position in that market. */
export const joined = (trader: Trader, symbol: MarketSymbol): boolean => trader.joined.has(symbol)

/** Returns true if the trader has left that market and must join it again before sending a command there. */
export const hasLeft = (trader: Trader, symbol: MarketSymbol): boolean => trader.left.has(symbol)

/** Returns the joined markets, including those the trader has left. */
export const symbols = (trader: Trader): Iterable<MarketSymbol> => trader.joined

/** Returns true if the user's builder code is registered in that market. */
export const isBuilderIn = (trader: Trader, symbol: MarketSymbol): boolean => trader.builderMarkets.has(symbol)

/** Returns true if the user owns a builder code, whose rewards the primary account receives. */
export const ownsCode = (trader: Trader): boolean => accountOf(trader, primaryAccountOf(trader.userId)).isBuilder

/** Returns the account ids, the primary account first. */
export const accountIds = (trader: Trader): ReadonlyArray<AccountId> => [...trader.accounts.keys()]

/** Returns the account of each connection with cancel on disconnect. */
export const armed = (trader: Trader): ReadonlyMap<string, AccountId> => trader.armed

/** Releases the hold of a command that had no effect or has expired, unless its outcome was observed. */
export const release = (trader: Trader, symbol: MarketSymbol, { text }: Id): void => {
  if (trader.inFlight.get(text)?.exposure.instrument.symbol === symbol) releaseCommand(trader, text)
}

/** Returns the balance of an account; undefined if the user has no such account. */
export const balance = (trader: Trader, accountId: AccountId): Balance | undefined => {
  const account = trader.accounts.get(accountId)
  return account === undefined ? undefined : Account.balance(account, trader.prices)
}

/** Returns the state of an account in each market; empty if the user has no such account. */
export const holdings = (trader: Trader, accountId: AccountId): ReadonlyArray<Holding> => {
  const account = trader.accounts.get(accountId)
  return account === undefined ? [] : Account.holdings(account, trader.prices)
}

/** Returns the symbols whose position is valued at its cost, with no profit or loss, because no price is known. */
export const unpriced = (trader: Trader, accountId: AccountId): ReadonlyArray<string> => {
  const account = trader.accounts.get(accountId)
  return account === undefined ? [] : Account.unpriced(account, trader.prices)
}

export interface OpenOrder {
  readonly symbol: MarketSymbol
  readonly order: Order
  /** True for a stop that is attached to an order, whose client order id the stop carries. */
  readonly isAttached?: boolean
}

/**
 * Returns open orders and stops, newest first. A market's view has only the time of an order's last change. The sort
 * time is therefore the earliest of this time and the placement times of later orders in the same market.
 */
export const orders = (trader: Trader, accountId: AccountId, symbol?: MarketSymbol): ReadonlyArray<OpenOrder> => {
  const entries: Array<{ readonly placedByMillis: number; readonly sequence: number; readonly open: OpenOrder }> = []
  for (const [name, { holds, stops }] of trader.accounts.get(accountId)?.exposures ?? []) {
    if (symbol !== undefined && symbol !== name) continue
    let placedByMillis = Infinity
    for (const hold of [...holds.values(), ...stops.values()].sort((a, b) => b.sequence - a.sequence)) {
      if (hold.order === undefined) continue
      placedByMillis = Math.min(placedByMillis, hold.placedByMillis)
      const isAttached = "isAttached" in hold && hold.isAttached
      const open = { ...openOrder(name, hold.order), ...(isAttached ? { isAttached } : {}) }
      entries.push({ placedByMillis, sequence: hold.sequence, open })
    }
  }
  entries.sort((a, b) => b.placedByMillis - a.placedByMillis || b.sequence - a.sequence)
  return entries.map(({ open }) => open)
}

/** Returns the hold of an order that is open or in flight. */
export const held = (
  trader: Trader,
  accountId: AccountId,
  symbol: MarketSymbol,
  orderId: string
): OrderHold | undefined => trader.accounts.get(accountId)?.exposures.get(symbol)?.holds.get(orderId)

/** Returns the order with this id, or else the newest order that has this text as its own client order id. */
export const order = (
  trader: Trader,
  accountId: AccountId,
  symbol: MarketSymbol,
  id: string
): OpenOrder | undefined => {
  const exposure = trader.accounts.get(accountId)?.exposures.get(symbol)
  const existing = exposure?.holds.get(id)?.order ?? exposure?.stops.get(id)?.order
  if (existing !== undefined) return openOrder(symbol, existing)
  if (id === "") return undefined
  return orders(trader, accountId, symbol).find((open) => open.isAttached !== true && open.order.clientOrderId === id)
}

/** Converts a request about a stop into an order request; undefined if no stop matches the request. */
export const stopTarget = (trader: Trader, request: StopRequest): OrderRequest | undefined => {
  const { accountId, commandId, expiresAtMillis, orderId } = request
  for (const [symbol, { stops }] of trader.accounts.get(accountId)?.exposures ?? []) {
    const stop = stops.get(orderId)?.order
    if (stop === undefined) continue
    const envelope = { commandId, expiresAtMillis, accountId, symbol, orderId }
    if (request._tag === "CancelStop") return { _tag: "CancelOrder", ...envelope, byClientOrderId: false }
    const { price, quantity, side, type } = request
    const matches = request.symbol === symbol && (side ?? stop.side) === stop.side && (type ?? stop.type) === stop.type
    const terms = { side: stop.side, type: stop.type, reduceOnly: true, price, quantity }
    return matches ? { _tag: "ModifyOrder", ...envelope, ...terms } : undefined
  }
  return undefined
}

/** Returns an account's leverage in a symbol; 0 for an unlisted symbol. */
export const leverage = (trader: Trader, accountId: AccountId, symbol: MarketSymbol): number =>
  trader.accounts.get(accountId)?.leverages.get(symbol) ?? trader.instruments.get(symbol)?.maxLeverage ?? 0

/** Returns the number of commands without a known outcome. */
export const pending = (trader: Trader, accountId: AccountId, symbol: MarketSymbol): number =>
  trader.accounts.get(accountId)?.exposures.get(symbol)?.pending ?? 0

/** Decides a credit. A negative credit can take at most the available balance. */
function credit(
  trader: Trader,
  { accountId, amount, by, creditId, reason }: Credit,
  atMillis: number
): Decided<UnknownAccount | InvalidAmount | InsufficientBalance> {
  if (trader.creditIds.has(creditId)) return Result.succeed([])
  const held = balance(trader, accountId)
  if (held === undefined) return Result.fail(new UnknownAccount({ accountId }))
  if (amount === 0n) return Result.fail(new InvalidAmount({ amount }))
  if (amount < 0n && held.available + amount < 0n) {
    return Result.fail(new InsufficientBalance({ withdrawable: held.withdrawable, required: -amount }))
  }
  const credited = { creditId, accountId, amount, reason, ...(by === undefined ? {} : { by }) }
  return Result.succeed([{ _tag: "Credited", ...credited, atMillis }])
}

function transfer(
  trader: Trader,
  command: Transfer,
  atMillis: number
): Decided<UnknownAccount | SameAccount | InvalidAmount | InsufficientBalance> {
  const { amount, fromAccountId, toAccountId, transferId } = command
  if (trader.transferIds.has(transferId)) return Result.succeed([])
  const source = balance(trader, fromAccountId)
  if (source === undefined) return Result.fail(new UnknownAccount({ accountId: fromAccountId }))
  if (!trader.accounts.has(toAccountId)) return Result.fail(new UnknownAccount({ accountId: toAccountId }))
  if (fromAccountId === toAccountId) return Result.fail(new SameAccount({ accountId: toAccountId }))
  if (amount <= 0n) return Result.fail(new InvalidAmount({ amount }))
  if (amount > source.withdrawable) {
    return Result.fail(new InsufficientBalance({ withdrawable: source.withdrawable, required: amount }))
  }
  return Result.succeed([{ _tag: "Transferred", transferId, fromAccountId, toAccountId, amount, atMillis }])
}

/** Time in milliseconds for which transfer ids are remembered: one day. Clients repeat a transfer within seconds. */
const transferKeptMillis = 24 * 60 * 60 * 1000

function keepTransfer({ transferIds }: Trader, { atMillis, transferId }: Transferred): void {
  transferIds.set(transferId, atMillis)
  for (const [oldest, keptMillis] of transferIds) {
    if (keptMillis > atMillis - transferKeptMillis) return
    transferIds.delete(oldest)
  }
}

/** Decides a leverage change. In-flight commands might become orders, so they block the change too. */
function setLeverage(trader: Trader, { accountId, leverage: level, symbol }: SetLeverage): Decision<"SetLeverage"> {
  const account = trader.accounts.get(accountId)
  if (account === undefined) return Result.fail(new UnknownAccount({ accountId }))
  const instrument = trader.instruments.get(symbol)
  if (instrument === undefined) return Result.fail(new UnknownSymbol({ symbol }))
  if (!isLevel(instrument, level)) {
    return Result.fail(new NotALevel({ leverage: level, maxLeverage: instrument.maxLeverage }))
  }
  // Setting the current level succeeds even with orders or a position, because clients set their level again at every
  // start.
  if (level === leverage(trader, accountId, symbol)) return Result.succeed([])
  const exposure = account.exposures.get(symbol)
  const hasPosition = exposure !== undefined && exposure.position.quantityLots !== 0
  if (exposure !== undefined && (hasPosition || exposure.holds.size > 0 || exposure.pending > 0)) {
    const openOrders = orders(trader, accountId, symbol).length
    return Result.fail(new LeverageInUse({ symbol, openOrders, hasPosition }))
  }
  return Result.succeed([{ _tag: "LeverageSet", accountId, symbol, leverage: level }])
}

function openAccount(trader: Trader, { accountId }: OpenAccount): Decided<TooManyAccounts> {
  if (trader.accounts.has(accountId)) return Result.succeed([])
  const limit = trader.settings.maxSubaccounts
  if (trader.accounts.size > limit) return Result.fail(new TooManyAccounts({ limit }))
  return Result.succeed([{ _tag: "AccountOpened", accountId }])
}

function arm(trader: Trader, { accountId, armed: on, connectionId }: Arm): Decision<"Arm"> {
  if (!trader.accounts.has(accountId)) return Result.fail(new UnknownAccount({ accountId }))
  if (on) {
    const isArmed = trader.armed.get(connectionId) === accountId
    return Result.succeed(isArmed ? [] : [{ _tag: "Armed", connectionId, accountId }])
  }
  return Result.succeed(trader.armed.has(connectionId) ? [{ _tag: "Disarmed", connectionId }] : [])
}

function setTier(trader: Trader, { day, effectiveVolume }: SetTier, atMillis: number): Decision<"SetTier"> {
  if (day <= trader.tierDay) return Result.succeed([])
  return Result.succeed([{ _tag: "TierSet", day, tier: tierOf(effectiveVolume), effectiveVolume, atMillis }])
}

function appointBuilder(
  trader: Trader,
  { builderCode, symbols }: AppointBuilder,
  atMillis: number
): Decision<"AppointBuilder"> {
  const added = symbols.filter((symbol) => !trader.builderMarkets.has(symbol))
  return Result.succeed(
    added.length === 0 && ownsCode(trader) ? [] : [{ _tag: "BuilderAppointed", builderCode, symbols: added, atMillis }]
  )
}

const openOrder = (symbol: MarketSymbol, order: Order): OpenOrder => ({ symbol, order })
