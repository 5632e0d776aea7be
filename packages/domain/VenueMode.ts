/** What the whole venue lets in: less once its books are in doubt, and more again step by step (I52, I53). */
import { Schema } from "effect"

/**
 *     TRADING ──→ HALTED → CANCEL_ONLY → TRADING
 *
 * The auditor halts; the way back is an operator's. In both others only cancels are let in. While it is HALTED nobody is
 * liquidated either, since what accounts have is in doubt; in CANCEL_ONLY it is known again.
 */
export const VenueTrading = Schema.Literals(["TRADING", "CANCEL_ONLY", "HALTED"])
export type VenueTrading = typeof VenueTrading.Type

/** They are open only while the venue trades, and never while nobody has audited it for `longestUnauditedMillis`. */
export const VenueWithdrawals = Schema.Literals(["OPEN", "BLOCKED"])
export type VenueWithdrawals = typeof VenueWithdrawals.Type

export interface VenueMode {
  readonly trading: VenueTrading
  readonly withdrawals: VenueWithdrawals
  /** Why it is so, for those who run the venue. */
  readonly reason: string
  /** Why it is so, for traders; null where none was given. */
  readonly publicReason: string | null
  /** `auditor`, or the name of an operator. */
  readonly changedBy: string
  readonly changedAtMillis: number
  /** The last audit was of the books as they were then; null before the first. */
  readonly auditedAtMillis: number | null
  /** What that audit found in the books; null for nothing. */
  readonly fault: string | null
  /** Where what a rail holds is not what the books say of it; null for nowhere. */
  readonly difference: string | null
}

/** This name changes the mode for the auditor. */
export const auditor = "auditor"

/** This name stands for the venue itself: before the first change, and where an audit is missing. */
export const venue = "venue"

/** An operator's command leads from one of these to the next, and no step is left out (I53). */
export const VenueStep = Schema.Literals(["CANCEL_ONLY", "TRADING", "WITHDRAWALS"])
export type VenueStep = typeof VenueStep.Type

/** Without an audit for this time withdrawals are blocked, and trading is not. */
export const longestUnauditedMillis = 30_000

/** A step back rests on an audit no older than this. */
export const freshAuditMillis = 10_000

const forTraders = { publicReason: Schema.optionalKey(Schema.NullOr(Schema.String)) }

/** The venue accepts only cancels for now; nothing was done. */
export class VenueCancelOnly extends Schema.TaggedError<VenueCancelOnly>()("VenueCancelOnly", forTraders) {}

/** The venue is halted and accepts only cancels; nothing was done. */
export class VenueHalted extends Schema.TaggedError<VenueHalted>()("VenueHalted", forTraders) {}

/** Returns why the venue takes no orders; undefined while it trades. */
export const closure = ({ publicReason, trading }: VenueMode): VenueCancelOnly | VenueHalted | undefined =>
  trading === "TRADING" ? undefined : new (trading === "HALTED" ? VenueHalted : VenueCancelOnly)({ publicReason })

/** Nothing leaves the venue for now; nothing was taken. */
export class WithdrawalsBlocked extends Schema.TaggedError<WithdrawalsBlocked>()("WithdrawalsBlocked", {}) {}

export const isAudited = ({ auditedAtMillis }: VenueMode, nowMillis: number): boolean =>
  auditedAtMillis !== null && nowMillis - auditedAtMillis < longestUnauditedMillis

/**
 * Returns the mode as it holds: withdrawals that are OPEN need a recent audit. Without one they are BLOCKED, with the reason and
 * the time since when.
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

const notAudited = "The venue is not audited yet. Withdrawals open with the first audit; see that the auditor runs."
const lateAudit = `The last audit is more than ${longestUnauditedMillis / 1_000} s old. Withdrawals open with the next; see that the auditor runs.`

/** Why a step is not to be taken from here; undefined when it may be. */
export const obstacle = (mode: VenueMode, step: VenueStep, nowMillis: number): string | undefined => {
  const { auditedAtMillis, difference, fault, trading, withdrawals } = mode
  if (step === "CANCEL_ONLY" && trading !== "HALTED")
    return `The venue is ${trading}, not HALTED; send a step that leads on from there.`
  if (step === "TRADING" && trading !== "CANCEL_ONLY")
    return `The venue is ${trading}, and trades again from CANCEL_ONLY; set that first.`
  if (step === "WITHDRAWALS" && (trading !== "TRADING" || withdrawals === "OPEN")) {
    return trading === "TRADING"
      ? "Withdrawals are open already. If none leaves, wait for the next audit."
      : `The venue is ${trading}, and withdrawals open after TRADING; set that first.`
  }
  if (
    auditedAtMillis === null ||
    nowMillis - auditedAtMillis >= freshAuditMillis ||
    auditedAtMillis <= mode.changedAtMillis
  ) {
    return `No clean audit within ${freshAuditMillis / 1_000} s and since the last change; check that the auditor runs, and wait for its next.`
  }
  if (fault !== null) return `The books do not balance; see GET /proof, and correct this: ${fault}`
  return step === "WITHDRAWALS" && difference !== null
    ? `A rail differs from the books; see GET /proof, and correct this: ${difference}`
    : undefined
}

export const stepped = (step: VenueStep): Pick<VenueMode, "trading" | "withdrawals"> => ({
  trading: step === "CANCEL_ONLY" ? "CANCEL_ONLY" : "TRADING",
  withdrawals: step === "WITHDRAWALS" ? "OPEN" : "BLOCKED"
})
