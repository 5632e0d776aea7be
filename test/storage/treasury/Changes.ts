/** Deposit and withdrawal services, with one short method per command that returns true if the command was accepted. */
import type { DepositReason, EndReason, PaymentObstacle } from "@venue/domain/TreasuryReason"
import type { UserId } from "@venue/domain/UserId"
import type { Ending } from "@venue/domain/Withdrawal"
import * as Deposits from "@venue/storage/treasury/Deposits"
import { railActor } from "@venue/storage/treasury/Steps"
import * as Withdrawals from "@venue/storage/treasury/Withdrawals"
import { Effect } from "effect"

export const withdrawals = Effect.map(Withdrawals.Withdrawals, (service) => {
  const { change } = service
  const accepted = Withdrawals.isAccepted
  return {
    ...service,
    attempt: (withdrawalId: string, payment: Withdrawals.StoredPayment) =>
      accepted(service.attempt(withdrawalId, payment)),
    approve: (withdrawalId: string, by: string) => accepted(change(withdrawalId, { _tag: "Approve", by })),
    submit: ({ cancelledBy, rail, withdrawalId }: Withdrawals.Withdrawal, sequence: number) => {
      const purpose = cancelledBy === null ? "pay" : "cancel"
      return accepted(change(withdrawalId, { _tag: "Submit", purpose, sequence, by: railActor(rail) }))
    },
    /** Returns true if the refusal has a new reason. */
    refuse: (withdrawalId: string, refusal: PaymentObstacle) =>
      Effect.map(change(withdrawalId, { _tag: "RecordRefusal", refusal }), (changes) =>
        changes.some(({ _tag }) => _tag === "RefusalRecorded")
      ),
    cancel: (withdrawalId: string, request: { readonly by: string; readonly reason: string }) =>
      accepted(change(withdrawalId, { _tag: "RequestCancel", ...request })),
    settle: ({ rail, withdrawalId }: Withdrawals.Withdrawal, reference: string) =>
      accepted(change(withdrawalId, { _tag: "Settle", by: railActor(rail), reference })),
    end: (
      withdrawalId: string,
      request: { readonly ending: Ending; readonly by: string; readonly reason: EndReason; readonly reference?: string }
    ) => accepted(change(withdrawalId, { _tag: "RequestEnd", reference: null, ...request }))
  }
})

export const deposits = Effect.map(Deposits.Deposits, (service) => {
  const { change } = service
  const accepted = Deposits.isAccepted
  return {
    ...service,
    confirm: (depositId: string, reason: DepositReason | null) =>
      accepted(change(depositId, { _tag: "Confirm", reason })),
    unconfirm: (depositId: string) => accepted(change(depositId, { _tag: "Unconfirm" })),
    drop: (depositId: string, reason: DepositReason) => accepted(change(depositId, { _tag: "Drop", reason })),
    offer: (depositId: string) => accepted(change(depositId, { _tag: "Offer" })),
    assign: (depositId: string, userId: UserId, reason: DepositReason | null) =>
      accepted(change(depositId, { _tag: "Assign", userId, reason })),
    own: ({ depositId }: Deposits.Deposit, reason: string) =>
      accepted(change(depositId, { _tag: "TakeAsOwn", reason })),
    missing: (depositId: string, isMissing: boolean) =>
      accepted(change(depositId, { _tag: isMissing ? "MarkGone" : "MarkPresent" })),
    returned: (depositId: string) => accepted(change(depositId, { _tag: "MarkReturned" })),
    finish: (depositId: string) => accepted(change(depositId, { _tag: "MarkFinal" }))
  }
})
