/** State machine of a deposit: states, commands and recorded changes (rule 17). */
import { Result, Schema } from "effect"
import type { DepositState } from "./Deposit.ts"
import type { RailName } from "./Rail.ts"
import * as Transitions from "./Transitions.ts"
import type { DepositReason, StoredDepositReason } from "./TreasuryReason.ts"
import type { UserId } from "./UserId.ts"

/**
 *     DETECTED ⇄ CONFIRMED → CREDITED → REVERSED
 *         ⇅ ↙
 *      DROPPED
 *
 * All transitions of a deposit, each with its change. Before the credit, a chain can lose a deposit and include it
 * again. Every other change leaves the state as it is.
 */
export const transitions: ReadonlyArray<Transitions.Transition<DepositState, DepositChange["_tag"]>> = [
  { from: "DETECTED", change: "Confirmed", to: "CONFIRMED" },
  { from: "CONFIRMED", change: "Unconfirmed", to: "DETECTED" },
  { from: "CONFIRMED", change: "Credited", to: "CREDITED" },
  { from: "CREDITED", change: "Reversed", to: "REVERSED" },
  { from: "DETECTED", change: "Dropped", to: "DROPPED" },
  { from: "CONFIRMED", change: "Dropped", to: "DROPPED" },
  { from: "DROPPED", change: "Redetected", to: "DETECTED" }
]

const { stateAfter, stepOf } = Transitions.of("deposit", transitions)

/** Returns the only transition that a credit or a reversal can make. */
export const journaledStep = (change: "Credited" | "Reversed") =>
  transitions.find((transition) => transition.change === change)!

/** Block of a chain in which a deposit was seen. */
export interface Block {
  readonly number: number
  readonly hash: string
}

/** State of a deposit that can change after its detection. Times are Unix milliseconds. */
export interface Progress {
  readonly depositId: string
  readonly rail: RailName
  readonly state: DepositState
  /** Number of the newest transition; DETECTED is number 1. */
  readonly step: number
  /**
   * Number of stored changes. A change is stored only if this number has stayed the same since the change was
   * decided.
   */
  readonly version: number
  /** Null if the deposit's address or bank message belongs to no user, until an operator assigns the deposit. */
  readonly userId: UserId | null
  /** Reason why the deposit is not credited, or why it was reversed; null otherwise. */
  readonly reason: StoredDepositReason | null
  readonly updatedAtMillis: number
  readonly blockNumber: number | null
  readonly blockHash: string | null
  /**
   * Time of the decision to credit the deposit. After this time, reports from the chain can no longer prevent the
   * credit.
   */
  readonly offeredAtMillis: number | null
  readonly creditedAtMillis: number | null
  /** Time since which the credited deposit has been missing from its chain; null while the chain contains it. */
  readonly goneSinceMillis: number | null
  /** True if the bank took the deposit back. */
  readonly isReturned: boolean
  readonly returnedAtMillis: number | null
  /** True if the rail can no longer change the deposit. */
  readonly isFinal: boolean
}

interface Changes {
  /** The deposit was seen again. `block` is null for a bank deposit. */
  readonly Detect: { readonly block: Block | null }
  /** From DETECTED to CONFIRMED; a reason keeps the deposit from being credited. */
  readonly Confirm: { readonly reason: DepositReason | null }
  /** From CONFIRMED back to DETECTED. */
  readonly Unconfirm: unknown
  /** From DETECTED or CONFIRMED to DROPPED. */
  readonly Drop: { readonly reason: DepositReason }
  /** Decides that a user's confirmed deposit will be credited, regardless of later reports from its chain. */
  readonly Offer: unknown
  /** An operator assigns a confirmed deposit that has no owner. A deposit with a reason is not credited. */
  readonly Assign: { readonly userId: UserId; readonly reason: DepositReason | null }
  /**
   * An operator declares that a confirmed, final deposit without an owner is the venue's own money, and gives the
   * `reason`.
   */
  readonly TakeAsOwn: { readonly reason: string }
  /** The chain no longer contains a credited deposit. */
  readonly MarkGone: unknown
  /** The chain contains a credited deposit again. */
  readonly MarkPresent: unknown
  /** The bank took the deposit back. */
  readonly MarkReturned: unknown
  /** The rail can no longer change the deposit. */
  readonly MarkFinal: unknown
  readonly Credit: unknown
  readonly Reverse: { readonly reason: DepositReason }
}

/** Request to change a deposit. */
export type DepositCommand = { readonly [Tag in keyof Changes]: { readonly _tag: Tag } & Changes[Tag] }[keyof Changes]

/** Recorded change to a deposit. */
export type DepositChange = { readonly atMillis: number } & (
  | ({ readonly _tag: "Redetected" | "BlockReplaced" } & Changes["Detect"])
  | ({ readonly _tag: "Confirmed" } & Changes["Confirm"])
  | ({ readonly _tag: "Dropped" } & Changes["Drop"])
  | ({ readonly _tag: "Assigned" } & Changes["Assign"])
  | ({ readonly _tag: "TakenAsOwn" } & Changes["TakeAsOwn"])
  | ({ readonly _tag: "Reversed" } & Changes["Reverse"])
  | { readonly _tag: "Unconfirmed" | "Offered" | "Gone" | "Present" | "Returned" | "Finalised" | "Credited" }
)

/** The command is invalid in the deposit's state, so nothing was changed. */
export class DepositStepRefused extends Schema.TaggedError<DepositStepRefused>()("DepositStepRefused", {
  depositId: Schema.String,
  command: Schema.String,
  state: Schema.String
}) {}

/** Returns true if a confirmed deposit has no owner yet. */
export const isOwnerless = ({ reason, state, userId }: Pick<Progress, "reason" | "state" | "userId">): boolean =>
  state === "CONFIRMED" && userId === null && reason !== "venue-own"

/** Returns the state of a newly detected deposit. */
export const detected = (
  deposit: Pick<Progress, "depositId" | "rail" | "userId">,
  block: Block | null,
  atMillis: number
): Progress => ({
  ...deposit,
  ...placeOf(block),
  state: "DETECTED",
  step: 1,
  version: 1,
  reason: null,
  updatedAtMillis: atMillis,
  offeredAtMillis: null,
  creditedAtMillis: null,
  goneSinceMillis: null,
  isReturned: false,
  returnedAtMillis: null,
  isFinal: false
})

/** Decides a command without changing anything. An empty list means that the command has no effect. */
export const decide = (
  deposit: Progress,
  command: DepositCommand,
  atMillis: number
): Result.Result<ReadonlyArray<DepositChange>, DepositStepRefused> => {
  const { depositId, goneSinceMillis, isFinal, isReturned, offeredAtMillis, reason, state, userId } = deposit
  const refused = Result.fail(new DepositStepRefused({ depositId, command: command._tag, state }))
  const recordedIf = (isAllowed: boolean, change: DepositChange) => (isAllowed ? Result.succeed([change]) : refused)
  const leads = (change: DepositChange["_tag"]) => stateAfter(state, change) !== undefined
  // An offered deposit is always credited.
  const isOpen = offeredAtMillis === null
  switch (command._tag) {
    case "Detect": {
      const isSame = (command.block?.hash ?? null) === deposit.blockHash
      if (isReturned || (isSame && state !== "DROPPED")) return done
      return Result.succeed([{ ...command, _tag: leads("Redetected") ? "Redetected" : "BlockReplaced", atMillis }])
    }
    case "Confirm":
      return recordedIf(isOpen && leads("Confirmed"), { ...command, _tag: "Confirmed", atMillis })
    case "Unconfirm":
      return recordedIf(isOpen && leads("Unconfirmed"), { _tag: "Unconfirmed", atMillis })
    case "Drop":
      return recordedIf(isOpen && leads("Dropped"), { ...command, _tag: "Dropped", atMillis })
    case "Offer":
      if (state !== "CONFIRMED" || userId === null || reason !== null) return refused
      return isOpen ? Result.succeed([{ _tag: "Offered", atMillis }]) : done
    case "Assign":
      return recordedIf(isOwnerless(deposit), { ...command, _tag: "Assigned", atMillis })
    case "TakeAsOwn":
      return recordedIf(isOwnerless(deposit) && isFinal, { ...command, _tag: "TakenAsOwn", atMillis })
    case "MarkGone":
      if (state !== "CREDITED") return refused
      return goneSinceMillis === null ? Result.succeed([{ _tag: "Gone", atMillis }]) : done
    case "MarkPresent":
      if (state !== "CREDITED") return refused
      return goneSinceMillis === null ? done : Result.succeed([{ _tag: "Present", atMillis }])
    case "MarkReturned":
      return isReturned ? done : Result.succeed([{ _tag: "Returned", atMillis }])
    case "MarkFinal":
      return isFinal ? done : Result.succeed([{ _tag: "Finalised", atMillis }])
    case "Credit":
      return recordedIf(leads("Credited"), { _tag: "Credited", atMillis })
    case "Reverse":
      return recordedIf(leads("Reversed"), { ...command, _tag: "Reversed", atMillis })
  }
}

const done = Result.succeed([])

/** Returns the deposit after a recorded change. Throws if the change is not among the transitions. */
export const apply = <D extends Progress>(deposit: D, change: DepositChange): D => ({
  ...deposit,
  ...stepOf(deposit, change),
  ...fieldsOf(deposit, change),
  version: deposit.version + 1
})

const fieldsOf = ({ reason, state }: Progress, change: DepositChange): Partial<Progress> => {
  const { atMillis } = change
  switch (change._tag) {
    case "Redetected":
      return { ...placeOf(change.block), reason: null }
    case "BlockReplaced": {
      // A reversed deposit is not credited a second time.
      const now = state === "REVERSED" ? "seen-again" : reason
      return { ...placeOf(change.block), reason: now, updatedAtMillis: atMillis }
    }
    case "Confirmed":
    case "Dropped":
    case "Reversed":
      return { reason: change.reason }
    case "Unconfirmed":
      return { reason: null }
    case "Offered":
      return { offeredAtMillis: atMillis }
    case "Assigned":
      return { userId: change.userId, reason: change.reason }
    case "TakenAsOwn":
      return { reason: "venue-own" }
    case "Gone":
      return { goneSinceMillis: atMillis }
    case "Present":
      return { goneSinceMillis: null }
    case "Returned":
      return { isReturned: true, returnedAtMillis: atMillis }
    case "Finalised":
      return { isFinal: true }
    case "Credited":
      return { creditedAtMillis: atMillis }
  }
}

const placeOf = (block: Block | null): Pick<Progress, "blockNumber" | "blockHash"> => ({
  blockNumber: block?.number ?? null,
  blockHash: block?.hash ?? null
})
