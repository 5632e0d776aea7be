/** Amounts of withdrawals in USD: six decimals on chains, two at the bank. */
import { decimalOfMoney, nearestMultiple } from "@venue/domain/Decimal"
import type { WithdrawalMethod } from "@venue/domain/Rail"
import { amountRefusal, type BelowMinimum, type NotAboveFee } from "@venue/domain/Withdrawal"
import { Result } from "effect"
import { gotNumber } from "../Fault.ts"
import type { BadRequest, Problems } from "../Problem.ts"
import { microsOf } from "../Usd.ts"

/** Returns an amount in 1e-6 USD, or the refusal if the method cannot pay it: too large, too small or too precise. */
export const read = (problems: Problems, method: WithdrawalMethod, sent: number): Result.Result<bigint, BadRequest> => {
  const decimals = method === "ach_push" || method === "wire" ? 2 : 6
  if (Math.abs(sent) > most) return Result.fail(refused(problems, `Expected at most ${most} USD`, sent, most))
  const amount = nearestMultiple(sent, 10 ** (8 - decimals))
  const micros = microsOf(amount)
  if (micros / 1e6 !== amount || micros % 10 ** (6 - decimals) !== 0) {
    return Result.fail(refused(problems, `Expected at most ${decimals} decimals`, sent))
  }
  const refusal = amountRefusal(method, BigInt(micros))
  return refusal === undefined ? Result.succeed(BigInt(micros)) : Result.fail(tooLittle(problems, refusal))
}

/** Returns the refusal of an amount that is too small; the refusal states the smallest valid amount. */
export const tooLittle = (problems: Problems, refusal: BelowMinimum | NotAboveFee): BadRequest => {
  const sent = decimalOfMoney(refusal.amount)
  if (refusal._tag === "NotAboveFee") {
    return refused(problems, `Expected more than the fee of ${decimalOfMoney(refusal.fee)} USD`, sent)
  }
  const least = decimalOfMoney(refusal.minimum)
  return refused(problems, `Expected at least ${least} USD`, sent, least)
}

const refused = (problems: Problems, expected: string, sent: number, near?: number): BadRequest =>
  problems.invalidValue("invalid-amount", [
    { location: "body.amount", message: `${expected}${gotNumber(sent, near)}`, value: sent }
  ])

/** Largest amount, in USD: in 1e-6 USD it is a safe integer. */
const most = 1_000_000_000
