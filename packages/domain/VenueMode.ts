/** Mode of the whole venue, which is restricted when the books are in doubt and reopened step by step (I52, I53). */
import { Schema } from "effect"

/**
 *     TRADING ──→ HALTED → CANCEL_ONLY → TRADING
 *
 * The auditor halts the venue, and operators reopen it. HALTED and CANCEL_ONLY accept only cancels. Liquidations stop
 * while the venue is HALTED, because balances are in doubt, and run again in CANCEL_ONLY.
 */
export const VenueTrading = Schema.Literals(["TRADING", "CANCEL_ONLY", "HALTED"])
export type VenueTrading = typeof VenueTrading.Type

/** Withdrawals are OPEN only while the venue is TRADING and the last audit is at most `longestUnauditedMillis` old. */
export const VenueWithdrawals = Schema.Literals(["OPEN", "BLOCKED"])
export type VenueWithdrawals = typeof VenueWithdrawals.Type

/** Mode of the venue, with its reason and the last audit. */
export interface VenueMode {
  readonly trading: VenueTrading
  readonly withdrawals: VenueWithdrawals
  /** Reason for operators. */
  readonly reason: string
  /** Reason for traders; null if none was given. */
  readonly publicReason: string | null
  /** Name of the operator who set the mode, or `auditor` or `venue`. */
  readonly changedBy: string
  readonly changedAtMillis: number
  /** Time of the state of the books that the last audit checked, in Unix milliseconds; null before the first audit. */
  readonly auditedAtMillis: number | null
  /** Fault that the last audit detected in the books; null if there was none. */
  readonly fault: string | null
  /** Rail whose holdings differ from the books, and the amount of the difference; null if they do not differ. */
  readonly difference: string | null
}

/** Author of a mode that the auditor set. */
export const auditor = "auditor"

/** Author of a mode that the venue set: before the first change, and while the audit is overdue. */
export const venue = "venue"

/** An operator's step towards normal operation; steps cannot be skipped (I53). */
export const VenueStep = Schema.Literals(["CANCEL_ONLY", "TRADING", "WITHDRAWALS"])
export type VenueStep = typeof VenueStep.Type

/** Maximum age of the last audit, in milliseconds. If it is older, withdrawals are blocked, but trading continues. */
export const longestUnauditedMillis = 30_000

/** Maximum age of the audit that a step requires. */
export const freshAuditMillis = 10_000

const forTraders = { publicReason: Schema.optionalKey(Schema.NullOr(Schema.String)) }

/** The venue accepts only cancels; the request had no effect. */
export class VenueCancelOnly extends Schema.TaggedError<VenueCancelOnly>()("VenueCancelOnly", forTraders) {}

/** The venue is halted and accepts only cancels; the request had no effect. */
export class VenueHalted extends Schema.TaggedError<VenueHalted>()("VenueHalted", forTraders) {}

/** Returns the error for a new order; undefined while the venue is TRADING. */
export const closure = ({ publicReason, trading }: VenueMode): VenueCancelOnly | VenueHalted | undefined =>
  trading === "TRADING" ? undefined : new (trading === "HALTED" ? VenueHalted : VenueCancelOnly)({ publicReason })

/** Withdrawals are blocked; the request had no effect. */
export class WithdrawalsBlocked extends Schema.TaggedError<WithdrawalsBlocked>()("WithdrawalsBlocked", {}) {}

/** Returns true if the last audit is recent enough for withdrawals. */
export const isAudited = ({ auditedAtMillis }: VenueMode, nowMillis: number): boolean =>
  auditedAtMillis !== null && nowMillis - auditedAtMillis < longestUnauditedMillis

/**
 * Returns the effective mode. If withdrawals are OPEN but the last audit is too old, they become BLOCKED, with reason
 * and time.
 */
export const inForce = (mode: VenueMode, nowMillis: number): VenueMode => {
  if (mode.withdrawals === "BLOCKED" || isAudited(mode, nowMillis)) return mode
  const { auditedAtMillis, changedAtMillis } = mode
  return {
    ...mode,
    withdrawals: "BLOCKED",
    reason: auditedAtMillis === null ? notAudited : lateAudit,
    changedBy: venue,
    changedAtMillis: auditedAtMillis === null ? changedAtMillis : auditedAtMillis + longestUnauditedMillis
  }
}

/**
 * Returns why the venue counts as not audited, and since when; undefined while the last audit is recent. The time is
 * null before the first audit.
 */
export const auditDelay = (
  mode: VenueMode,
  nowMillis: number
): { readonly sinceMillis: number | null; readonly reason: string } | undefined => {
  if (isAudited(mode, nowMillis)) return undefined
  const { auditedAtMillis } = mode
  if (auditedAtMillis === null)
    return { sinceMillis: null, reason: "No audit has been made yet. Check that the auditor is running." }
  const last = new Date(auditedAtMillis).toISOString()
  return {
    sinceMillis: auditedAtMillis + longestUnauditedMillis,
    reason: `The last audit, of ${last}, is more than ${longestUnauditedMillis / 1_000} s old. Check that the auditor is running.`
  }
}

const notAudited =
  "The venue is not audited yet. Withdrawals open with the first audit; check that the auditor is running."
const lateAudit = `The last audit is more than ${longestUnauditedMillis / 1_000} s old. Withdrawals open with the next audit; check that the auditor is running.`

/** Returns why an operator cannot take the step now, with the remedy; undefined if the step is allowed. */
export const obstacle = (mode: VenueMode, step: VenueStep, nowMillis: number): string | undefined => {
  const { auditedAtMillis, difference, fault, trading, withdrawals } = mode
  if (step === "CANCEL_ONLY" && trading !== "HALTED")
    return trading === "CANCEL_ONLY"
      ? "The venue is already CANCEL_ONLY; set TRADING to accept orders again."
      : "The venue is TRADING, and CANCEL_ONLY is a step from HALTED back to TRADING; set HALTED to stop orders."
  if (step === "TRADING" && trading !== "CANCEL_ONLY")
    return trading === "TRADING"
      ? "The venue is already TRADING; open withdrawals with WITHDRAWALS if they are blocked."
      : "The venue is HALTED, and TRADING is possible only from CANCEL_ONLY; set CANCEL_ONLY first."
  if (step === "WITHDRAWALS" && (trading !== "TRADING" || withdrawals === "OPEN")) {
    return trading === "TRADING"
      ? "Withdrawals are already open. If withdrawals are not being paid, wait for the next audit."
      : `The venue is ${trading}, and withdrawals open only from TRADING; set TRADING first.`
  }
  if (
    auditedAtMillis === null ||
    nowMillis - auditedAtMillis >= freshAuditMillis ||
    auditedAtMillis <= mode.changedAtMillis
  ) {
    return `This change requires an audit that is less than ${freshAuditMillis / 1_000} s old and newer than the last change of mode; check that the auditor is running, and wait for its next audit.`
  }
  if (fault !== null) return `The books do not balance; see GET /proof, and correct this: ${fault}`
  return step === "WITHDRAWALS" && difference !== null
    ? `A rail's holdings differ from the books; see GET /proof, and correct this: ${difference}`
    : undefined
}

/** Returns the mode after a step. */
export const stepped = (step: VenueStep): Pick<VenueMode, "trading" | "withdrawals"> => ({
  trading: step === "CANCEL_ONLY" ? "CANCEL_ONLY" : "TRADING",
  withdrawals: step === "WITHDRAWALS" ? "OPEN" : "BLOCKED"
})
