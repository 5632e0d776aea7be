/** Deposits and withdrawals of the primary account (rule 17, rule 18). */
import { primaryAccountOf } from "@venue/domain/AccountId"
import {
  type Deposit,
  type Deposited,
  type DepositReversed,
  type ReverseDeposit,
  UnknownDeposit
} from "@venue/domain/Deposit"
import { InsufficientBalance, InvalidAmount, type TraderEvent } from "@venue/domain/Trader"
import {
  amountRefusal,
  type BelowMinimum,
  holdReasons,
  type NotAboveFee,
  type ReturnWithdrawal,
  UnknownWithdrawal,
  type Withdraw,
  type WithdrawalAccepted,
  withdrawalDayMillis,
  type WithdrawalReturned,
  withdrawalTerms
} from "@venue/domain/Withdrawal"
import { Result } from "effect"
import * as Account from "./Account.ts"
import { accountOf, type Trader } from "./Trader.ts"

type Decided<Refusal> = Result.Result<ReadonlyArray<TraderEvent>, Refusal>

const done: Decided<never> = Result.succeed([])

/** Decides a deposit; a repeat of its id changes nothing. */
export const deposit = (
  { deposits }: Trader,
  { amount, depositId, rail }: Deposit,
  atMillis: number
): Decided<InvalidAmount> => {
  if (deposits.has(depositId)) return done
  if (amount <= 0n) return Result.fail(new InvalidAmount({ amount }))
  return Result.succeed([{ _tag: "Deposited", depositId, rail, amount, atMillis }])
}

/** Decides the reversal of a deposit: debits the whole amount, even if the balance becomes negative (rule 17.6). */
export const reverseDeposit = (
  { deposits }: Trader,
  { depositId, reason }: ReverseDeposit,
  atMillis: number
): Decided<UnknownDeposit> => {
  const known = deposits.get(depositId)
  if (known === undefined) return Result.fail(new UnknownDeposit({ depositId }))
  if (known.isReversed) return done
  const { amount, rail } = known
  return Result.succeed([{ _tag: "DepositReversed", depositId, rail, amount, reason, atMillis }])
}

/** Decides a withdrawal against the withdrawable balance. Needs the state of every market that the user has joined. */
export const withdraw = (
  trader: Trader,
  { amount, destination, method, reasons, withdrawalId }: Withdraw,
  atMillis: number
): Decided<BelowMinimum | NotAboveFee | InsufficientBalance> => {
  if (trader.withdrawals.has(withdrawalId)) return done
  const refused = amountRefusal(method, amount)
  if (refused !== undefined) return Result.fail(refused)
  const { withdrawable } = Account.balance(primaryOf(trader), trader.prices)
  if (amount > withdrawable) return Result.fail(new InsufficientBalance({ withdrawable, required: amount }))
  return Result.succeed([
    {
      _tag: "WithdrawalAccepted",
      withdrawalId,
      method,
      amount,
      fee: withdrawalTerms[method].fee,
      destination,
      reasons: holdReasons(amount, amount + dayTotal(trader, atMillis), reasons),
      atMillis
    }
  ])
}

/** Decides the return of a failed or rejected withdrawal, which happens only once. */
export const returnWithdrawal = (
  { withdrawals }: Trader,
  { ending, reason, withdrawalId }: ReturnWithdrawal,
  atMillis: number
): Decided<UnknownWithdrawal> => {
  const known = withdrawals.get(withdrawalId)
  if (known === undefined) return Result.fail(new UnknownWithdrawal({ withdrawalId }))
  if (known.isReturned) return done
  const { amount, method } = known
  return Result.succeed([{ _tag: "WithdrawalReturned", withdrawalId, ending, reason, method, amount, atMillis }])
}

export const deposited = (trader: Trader, { amount, depositId, rail }: Deposited): void => {
  trader.deposits.set(depositId, { rail, amount, isReversed: false })
  Account.deposit(primaryOf(trader), amount)
}

export const depositReversed = (trader: Trader, { amount, depositId, rail }: DepositReversed): void => {
  trader.deposits.set(depositId, { rail, amount, isReversed: true })
  Account.deposit(primaryOf(trader), -amount)
}

export const withdrawalAccepted = (
  trader: Trader,
  { amount, atMillis, method, withdrawalId }: WithdrawalAccepted
): void => {
  trader.withdrawals.set(withdrawalId, { method, amount, atMillis, isReturned: false })
  Account.deposit(primaryOf(trader), -amount)
}

export const withdrawalReturned = (trader: Trader, { amount, withdrawalId }: WithdrawalReturned): void => {
  const known = trader.withdrawals.get(withdrawalId)
  if (known === undefined) throw new Error(`user ${trader.userId} has no withdrawal ${withdrawalId}`)
  trader.withdrawals.set(withdrawalId, { ...known, isReturned: true })
  Account.deposit(primaryOf(trader), amount)
}

/** Returns the sum of the last day's withdrawals, except returned ones, for the review limit (rule 18.4). */
const dayTotal = ({ withdrawals }: Trader, nowMillis: number): bigint => {
  let total = 0n
  for (const { amount, atMillis, isReturned } of withdrawals.values()) {
    if (!isReturned && atMillis > nowMillis - withdrawalDayMillis) total += amount
  }
  return total
}

const primaryOf = (trader: Trader): Account.Account => accountOf(trader, primaryAccountOf(trader.userId))
