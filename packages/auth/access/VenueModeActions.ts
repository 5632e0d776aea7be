/**
 * Changes to the venue mode: the auditor halts the venue, and operators resume it step by step (I53). Each change is
 * audited with its actor and reason.
 */
import type { VenueMode, VenueStep } from "@venue/domain/VenueMode"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Transaction } from "@venue/postgres/Transaction"
import { Audit } from "@venue/storage/access/Audit"
import { type Allowed, type NotResumable, VenueModes } from "@venue/storage/access/VenueModes"
import { Context, Effect, Layer } from "effect"
import type { Operator } from "./Operator.ts"

export class VenueModeActions extends Context.Service<
  VenueModeActions,
  {
    /** Halts the venue; returns true if the venue was not halted before. */
    readonly halt: (by: Operator, publicReason?: string) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Blocks withdrawals; returns true if withdrawals were open before. */
    readonly blockWithdrawals: (by: Operator) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Takes one step back towards normal trading, if `allowed` succeeds in the same transaction. */
    readonly resume: (
      step: VenueStep,
      by: Operator,
      publicReason?: string,
      allowed?: Allowed
    ) => Effect.Effect<VenueMode, NotResumable | DatabaseUnavailable>
  }
>()("@venue/auth/access/VenueModeActions") {
  static readonly layer: Layer.Layer<VenueModeActions, never, Audit | Transaction | VenueModes> = Layer.effect(
    VenueModeActions,
    Effect.gen(function* () {
      const audit = yield* Audit
      const modes = yield* VenueModes
      const transaction = yield* Transaction
      const record = (action: string, { actor, reason }: Operator, facts = {}) =>
        audit.record({ action, actor, subject, facts: { reason, ...facts } })
      return VenueModeActions.of({
        halt: Effect.fn("VenueModeActions.halt")(function* (by: Operator, publicReason?: string) {
          const isNew = yield* modes.halt({ by: by.actor, reason: by.reason, publicReason })
          if (isNew || publicReason !== undefined) yield* record("venue_halted", by, reasonOf(publicReason))
          return isNew
        }, transaction.run),
        blockWithdrawals: Effect.fn("VenueModeActions.blockWithdrawals")(function* (by: Operator) {
          const isNew = yield* modes.blockWithdrawals({ by: by.actor, reason: by.reason })
          if (isNew) yield* record("withdrawals_blocked", by)
          return isNew
        }, transaction.run),
        resume: Effect.fn("VenueModeActions.resume")(function* (
          step: VenueStep,
          by: Operator,
          publicReason?: string,
          allowed?: Allowed
        ) {
          const mode = yield* modes.resume(step, { by: by.actor, reason: by.reason, publicReason }, allowed)
          yield* record("venue_resumed", by, { step, ...reasonOf(publicReason) })
          return mode
        }, transaction.run)
      })
    })
  )
}

/** Subject of audit records about the whole venue. */
const subject = "venue"

const reasonOf = (publicReason: string | undefined) => (publicReason === undefined ? {} : { publicReason })
