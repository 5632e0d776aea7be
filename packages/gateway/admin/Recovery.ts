/** Handles the operator endpoints for a recovery: the missing rows, and the decision of two operators to go on. */
import { AdminApi } from "@venue/api/admin/Api"
import { Operator } from "@venue/api/admin/Operator"
import { listDefaults } from "@venue/api/admin/Recovery"
import { instant } from "@venue/api/Digits"
import { appointedAfter } from "@venue/api/OperatorProblems"
import * as Deciders from "@venue/auth/access/Deciders"
import { maxAcceptedRows, missingOf, peopleNeeded, type RecoveryState } from "@venue/domain/Recovery"
import { Transaction } from "@venue/postgres/Transaction"
import { Audit } from "@venue/storage/access/Audit"
import { Recoveries } from "@venue/storage/recovery/Recoveries"
import { Effect, Option } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"

export const layer = group(
  AdminApi,
  "recovery",
  Effect.fnUntraced(function* (handlers) {
    const decide = yield* makeDecide
    const recoveries = yield* Recoveries
    const refusals = yield* apiProblems
    const unavailable = { DatabaseUnavailable: () => Effect.fail(refusals.draining()) }
    return handlers
      .handle(
        "show",
        Effect.fnUntraced(function* ({ query }) {
          const { limit, offset } = { ...listDefaults, ...query }
          const pending = yield* recoveries.pending
          if (Option.isNone(pending)) return none
          const { foundAtMillis, foundBy, recoveryId, state } = pending.value
          const { missingRows, streams } = yield* recoveries.totals(recoveryId)
          const losses = yield* recoveries.losses(recoveryId, { limit, offset })
          const decisions = yield* recoveries.decisions(recoveryId)
          const facts = yield* recoveries.facts(recoveryId)
          return {
            state,
            found_at: instant(foundAtMillis),
            found_by: foundBy,
            streams,
            missing_rows: missingRows,
            restrictions: facts.filter(({ isRestricted }) => isRestricted).length,
            decisions: decisions.map(({ decidedAtMillis, operator, reason }) => ({
              operator,
              reason,
              at: instant(decidedAtMillis)
            })),
            people_needed: peopleNeeded,
            data: losses.map((loss) => ({
              stream: loss.stream,
              database_row: loss.databaseSeq,
              witnessed_row: loss.witnessedSeq,
              first_missing: loss.firstMissing,
              missing: missingOf(loss)
            })),
            count: losses.length
          }
        }, Effect.catchTags(unavailable))
      )
      .handle("decide", ({ payload: { reason } }) => decide(reason).pipe(Effect.catchTags(unavailable)))
  })
)

/** Returns why the venue cannot resume while a recovery is in this state, and what to do. */
export const obstacleOf = (state: RecoveryState): string =>
  state === "OPEN"
    ? "The database lacks rows that a witness has seen; read GET /recovery, and accept the loss with POST /recovery (two operators), or stop all nodes and restore a newer backup."
    : "The recovery from the lost rows is not complete; wait until GET /recovery returns the state NONE."

const none = {
  state: "NONE" as const,
  found_at: null,
  found_by: null,
  streams: 0,
  missing_rows: 0,
  restrictions: 0,
  decisions: [],
  people_needed: peopleNeeded,
  data: [],
  count: 0
}

/** Records a decision. The decision, the acceptance and the audit entry are committed together. */
const makeDecide = Effect.gen(function* () {
  const audit = yield* Audit
  const recoveries = yield* Recoveries
  const transaction = yield* Transaction
  const deciders = yield* Deciders.make("treasurer")
  const refusals = yield* apiProblems
  return Effect.fnUntraced(function* (reason: string) {
    const { name } = yield* Operator
    const pending = yield* recoveries.pending
    if (Option.isNone(pending) || pending.value.state !== "OPEN")
      return yield* refusals.noRecovery(
        Option.isNone(pending)
          ? "No row is missing, so there is no loss to accept; GET /recovery returns the state NONE."
          : `The loss is already accepted and the recovery is ${pending.value.state}; wait until GET /recovery returns the state NONE.`
      )
    const { recoveryId } = pending.value
    const { missingRows } = yield* recoveries.totals(recoveryId)
    if (missingRows > maxAcceptedRows)
      return yield* refusals.noRecovery(
        `${missingRows} rows are missing, and at most ${maxAcceptedRows} can be accepted; stop all nodes, and restore a newer backup or remove the damaged witness.`
      )
    const mayDecide = yield* deciders
    if (!mayDecide(name, pending.value.foundAtMillis))
      return yield* refusals.noRecovery(
        `${appointedAfter(name, "the loss was found")} The decision requires ${peopleNeeded} other treasurers; ask one of them to decide.`
      )
    const open = yield* recoveries.decide({ recoveryId, operator: name, reason })
    if (Option.isNone(open))
      return yield* refusals.noRecovery("Other operators have accepted the loss in the meantime; read GET /recovery.")
    const people = (yield* recoveries.decisions(recoveryId))
      .map(({ operator }) => operator)
      .filter((operator) => mayDecide(operator, open.value.foundAtMillis))
    const isDecided = people.length >= peopleNeeded
    if (isDecided) yield* recoveries.advance(recoveryId, "OPEN")
    const facts = { recoveryId, reason, isDecided, ...(yield* recoveries.totals(recoveryId)) }
    yield* audit.record({ action: "loss_accepted", actor: name, subject: "venue", facts })
    return { is_decided: isDecided, people, people_needed: peopleNeeded }
  }, transaction.run)
})
