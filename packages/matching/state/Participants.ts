/** Who takes part in one market: users with their limits and epochs, accounts with their positions and open orders. */
import type { ClientOrderIds } from "../book/ClientOrderIds.ts"
import type { AccountId } from "@venue/domain/AccountId"
import * as Position from "@venue/domain/Position"
import type { Side } from "@venue/domain/Order"
import type { UserId } from "@venue/domain/UserId"

export interface User {
  readonly number: number
  readonly userId: UserId
  /** Commands of a lower epoch are dropped. */
  epoch: number
  /** All accounts of the user hold so many lots, long and short alike. */
  held: number
  /** All accounts of the user have so many lots resting on each side. */
  buying: number
  selling: number
}

export interface Account {
  readonly number: number
  readonly accountId: AccountId
  readonly user: User
  readonly position: Position.Position
  /** A takeover of its position is open, so that it may do nothing here but cancel. */
  isFrozen: boolean
  openOrders: number
  /** The account has so many lots resting on each side. */
  buying: number
  selling: number
  /** So many lots rest that may only reduce; they are all on the side against the position. */
  reducing: number
  /** The chain of open orders by age has these ends; 0 when there is none. */
  oldest: number
  newest: number
  /** Its open orders by client order id are gathered when it first cancels by one, since most never do. */
  byClientOrderId: ClientOrderIds | undefined
}

/** These sums over all participants are kept as they change. */
export interface Totals {
  positions: number
  cash: number
  basis: number
  venueFees: number
  /** The market's own money for hard times: what rounding leaves of funding goes there. */
  reserveFund: number
  /** The operator has put so much into the reserve fund; the sum of cash is without it. */
  toppedUp: number
  openInterest: number
}

export interface Participants {
  readonly users: Array<User>
  readonly accounts: Array<Account>
  readonly usersById: Map<UserId, User>
  readonly accountsById: Map<AccountId, Account>
  readonly totals: Totals
  /** So many lots rest in the market that may only reduce. */
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

/** An account belongs to the user it first came with. */
export const account = (participants: Participants, accountId: AccountId, userId: UserId): Account => {
  const known = participants.accountsById.get(accountId)
  if (known !== undefined) return known
  const added = newAccount(participants, accountId, user(participants, userId))
  participants.accounts.push(added)
  participants.accountsById.set(accountId, added)
  return added
}

/** The account as it is, or as it would begin: nobody is added. */
export const find = (participants: Participants, accountId: AccountId, userId: UserId): Account =>
  participants.accountsById.get(accountId) ??
  newAccount(participants, accountId, participants.usersById.get(userId) ?? newUser(participants, userId))

/** Books one side of a trade, and returns the profit it realised. */
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

/** The owner of a builder code receives a part of a fee, and the reserve fund another; the venue keeps the rest of it. */
export const earn = ({ totals }: Participants, { position }: Account, amount: number, remainder: number): void => {
  Position.earn(position, amount)
  totals.reserveFund += remainder
  totals.venueFees -= amount + remainder
}

/** Fees that were booked are the reserve fund's and not the venue's; negative ones it has paid. */
export const reserve = ({ totals }: Participants, fees: number): void => {
  totals.reserveFund += fees
  totals.venueFees -= fees
}

/** Gives what rounding will leave when every position receives so much: as positions sum to zero, so would that. */
export const remainderOf = ({ accounts }: Participants, payment: (position: Position.Position) => number): number => {
  let received = 0
  for (const { position } of accounts) received += payment(position)
  return 0 - received
}

/** Books a payment on every position, and what rounding leaves in the reserve fund. */
export const payAll = (
  { accounts, totals }: Participants,
  book: (position: Position.Position) => number,
  remainder: number
): void => {
  for (const { position } of accounts) totals.cash += book(position)
  totals.reserveFund += remainder
  totals.cash += remainder
}

/** Has every position count in other units, and books what that brought it. */
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

/** Lots began to rest, or stopped resting where the number is negative. */
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
