/** Handles the operator endpoints that list deposits without an owner and assign each to a user or to the venue. */
import { AdminApi } from "@venue/api/admin/Api"
import { unmatchedDeposit } from "@venue/api/admin/Deposits"
import { Operator } from "@venue/api/admin/Operator"
import { reasonAgainst, writtenDepositId } from "@venue/domain/Deposit"
import type { DepositCommand } from "@venue/domain/DepositSteps"
import { UserId } from "@venue/domain/UserId"
import * as Count from "@venue/postgres/Count"
import { Transaction } from "@venue/postgres/Transaction"
import { Audit } from "@venue/storage/access/Audit"
import { Users } from "@venue/storage/access/Users"
import { Deposits } from "@venue/storage/treasury/Deposits"
import { Effect, Option } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"

export const layer = group(
  AdminApi,
  "deposits",
  Effect.fnUntraced(function* (handlers) {
    const audit = yield* Audit
    const deposits = yield* Deposits
    const transaction = yield* Transaction
    const users = yield* Users
    const refusals = yield* apiProblems
    const deposit = (depositId: string) =>
      Effect.flatMap(
        deposits.find(depositId),
        Effect.fromOption(() => refusals.notFound("deposit", depositId, unmatchedHint))
      )
    const change = (depositId: string, command: AssigningCommand) =>
      deposits.change(depositId, command).pipe(
        Effect.catchTags({
          DepositStepRefused: () => Effect.fail(refusals.notUnmatched(depositId)),
          UnknownDeposit: () => Effect.fail(refusals.notFound("deposit", depositId, unmatchedHint))
        })
      )
    const unavailable = { DatabaseUnavailable: () => Effect.fail(refusals.draining()) }

    return handlers
      .handle("unmatched", () =>
        deposits.unmatched(listed).pipe(
          Effect.flatMap((list) =>
            Effect.map(Count.total(listed, list.length, deposits.countUnmatched), (count) => ({
              data: list.map(unmatchedDeposit),
              count
            }))
          ),
          Effect.catchTags(unavailable)
        )
      )
      .handle(
        "assign",
        Effect.fnUntraced(
          function* ({ payload: { deposit_id, reason, user_id } }) {
            const depositId = writtenDepositId(deposit_id)
            const userId = UserId.make(user_id.toLowerCase())
            if (Option.isNone(yield* users.find(userId)))
              return yield* refusals.notFound("user", userId, "send the user_id of the deposit's owner")
            const { amount, rail } = yield* deposit(depositId)
            const against = reasonAgainst(rail, amount)
            yield* change(depositId, { _tag: "Assign", userId, reason: against })
            const { name } = yield* Operator
            const facts = { depositId, amount: String(amount), reason }
            yield* audit.record({ action: "deposit_assigned", actor: name, subject: userId, facts })
          },
          transaction.run,
          Effect.catchTags(unavailable)
        )
      )
      .handle(
        "own",
        Effect.fnUntraced(
          function* ({ payload: { deposit_id, reason } }) {
            const depositId = writtenDepositId(deposit_id)
            const { amount, rail } = yield* deposit(depositId)
            yield* change(depositId, { _tag: "TakeAsOwn", reason })
            const { name } = yield* Operator
            const facts = { depositId, amount: String(amount), reason }
            yield* audit.record({ action: "deposit_taken_as_own", actor: name, subject: rail, facts })
          },
          transaction.run,
          Effect.catchTags(unavailable)
        )
      )
  })
)

type AssigningCommand = Extract<DepositCommand, { readonly _tag: "Assign" | "TakeAsOwn" }>

const unmatchedHint = "list the unmatched deposits with GET /deposits/unmatched"
const listed = { limit: 1_000, offset: 0 }
