/** Participants of one market: users with their limits and epochs, accounts with their positions and open orders. */
import type { ClientOrderIds } from "../book/ClientOrderIds.ts"
import type { AccountId } from "@venue/domain/AccountId"
import * as Position from "@venue/domain/Position"
import type { Side } from "@venue/domain/Order"
import type { UserId } from "@venue/domain/UserId"

export interface User {
  readonly number: number
  readonly userId: UserId
  /** Commands with a lower epoch are dropped. */
  epoch: number
  /** Lots held by all of the user's accounts. Long and short positions both count as positive. */
  held: number
  /** Resting lots of all accounts of the user, by side. */
  buying: number
  selling: number
}

export interface Account {
  readonly number: number
  readonly accountId: AccountId
  readonly user: User
  readonly position: Position.Position
  /** True while a takeover of the position is open; the account can then only cancel. */
  isFrozen: boolean
  openOrders: number
  /** Resting lots of the account, by side. */
  buying: number
  selling: number
  /** Resting reduce-only lots; all are on the side opposite to the position. */
  reducing: number
  /** Oldest and newest open order, the ends of the list by age; 0 if the account has no orders. */
  oldest: number
  newest: number
  /** Open orders by client order id. Built at the account's first cancel by client order id, which is rare. */
  byClientOrderId: ClientOrderIds | undefined
}

/** Sums over all participants, updated incrementally. */
export interface Totals {
  positions: number
  cash: number
  basis: number
  venueFees: number
  /** The market's own money for covering losses, which also receives the rounding remainders of funding. */
  reserveFund: number
  /** Total of the operator's top-ups; the sum of cash excludes it. */
  toppedUp: number
  openInterest: number
}

export interface Participants {
  readonly users: Array<User>
  readonly accounts: Array<Account>
  readonly usersById: Map<UserId, User>
  readonly accountsById: Map<AccountId, Account>
  readonly totals: Totals
  /** Resting reduce-only lots of the market. */
  reducing: number
}

export const make = (): Participants => ({
  users: [],
  accounts: [],
  usersById: new Map(),
  accountsById: new Map(),
  totals: { positions: 0, cash: 0, basis: 0, venueFees: 0, reserveFund: 0, toppedUp: 0, openInterest: 0 },
  reducing: 0
})

export const user = (participants: Participants, userId: UserId): User => {
  const known = participants.usersById.get(userId)
  if (known !== undefined) return known
  const added = newUser(participants, userId)
  participants.users.push(added)
  participants.usersById.set(userId, added)
  return added
}

/** Returns the account, adding it if it is new. A new account is assigned to the given user permanently. */
export const account = (participants: Participants, accountId: AccountId, userId: UserId): Account => {
  const known = participants.accountsById.get(accountId)
  if (known !== undefined) return known
  const added = newAccount(participants, accountId, user(participants, userId))
  participants.accounts.push(added)
  participants.accountsById.set(accountId, added)
  return added
}

/** Returns the account without adding it; an empty account if it is unknown. */
export const find = (participants: Participants, accountId: AccountId, userId: UserId): Account =>
  participants.accountsById.get(accountId) ??
  newAccount(participants, accountId, participants.usersById.get(userId) ?? newUser(participants, userId))

/** Books one side of a trade and returns its realised profit. */
export const fill = (
  participants: Participants,
  { position, user }: Account,
  side: Side,
  lots: number,
  notional: number,
  fee: number
): number => {
  const { totals } = participants
  const held = position.quantityLots
  const cash = position.cashFlow - position.fees
  const basis = position.basis
  const realised = Position.fill(position, side, lots, notional, fee)
  const holds = position.quantityLots
  totals.positions += holds - held
  totals.cash += position.cashFlow - position.fees - cash + fee
  totals.basis += position.basis - basis
  totals.venueFees += fee
  totals.openInterest += Math.max(0, holds) - Math.max(0, held)
  user.held += Math.abs(holds) - Math.abs(held)
  return realised
}

/** Credits a builder's reward to an account, `remainder` to the reserve fund; the venue keeps the rest of the fee. */
export const earn = ({ totals }: Participants, { position }: Account, amount: number, remainder: number): void => {
  Position.earn(position, amount)
  totals.reserveFund += remainder
  totals.venueFees -= amount + remainder
}

/** Moves booked fees from the venue to the reserve fund; negative fees are paid by the fund. */
export const reserve = ({ totals }: Participants, fees: number): void => {
  totals.reserveFund += fees
  totals.venueFees -= fees
}

/** Returns the rounding remainder if every position gets this payment. Exact payments sum to 0, as positions do. */
export const remainderOf = ({ accounts }: Participants, payment: (position: Position.Position) => number): number => {
  let received = 0
  for (const { position } of accounts) received += payment(position)
  return 0 - received
}

/** Books a payment on every position, and the rounding remainder in the reserve fund. */
export const payAll = (
  { accounts, totals }: Participants,
  book: (position: Position.Position) => number,
  remainder: number
): void => {
  for (const { position } of accounts) totals.cash += book(position)
  totals.reserveFund += remainder
  totals.cash += remainder
}

/** Restates every position in other units and books the resulting cash. */
export const restateAll = (
  { accounts, totals, users }: Participants,
  book: (position: Position.Position) => number
): void => {
  for (const user of users) user.held = 0
  for (const { position, user } of accounts) {
    const { basis, quantityLots: held } = position
    totals.cash += book(position)
    totals.basis += position.basis - basis
    totals.positions += position.quantityLots - held
    totals.openInterest += Math.max(0, position.quantityLots) - Math.max(0, held)
    user.held += Math.abs(position.quantityLots)
  }
}

/** Adds resting lots; a negative number removes them. */
export const rest = (
  participants: Participants,
  account: Account,
  isSell: boolean,
  reduceOnly: boolean,
  lots: number
): void => {
  if (isSell) {
    account.selling += lots
    account.user.selling += lots
  } else {
    account.buying += lots
    account.user.buying += lots
  }
  if (reduceOnly) {
    account.reducing += lots
    participants.reducing += lots
  }
}

function newUser({ users }: Participants, userId: UserId): User {
  return { number: users.length, userId, epoch: 0, held: 0, buying: 0, selling: 0 }
}

function newAccount({ accounts }: Participants, accountId: AccountId, user: User): Account {
  return {
    number: accounts.length,
    accountId,
    user,
    position: Position.flat(),
    isFrozen: false,
    openOrders: 0,
    buying: 0,
    selling: 0,
    reducing: 0,
    oldest: 0,
    newest: 0,
    byClientOrderId: undefined
  }
}
