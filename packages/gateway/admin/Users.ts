/** Handles the operator endpoints for users and builder codes. */
import { AdminApi } from "@venue/api/admin/Api"
import type { Operator } from "@venue/auth/access/Operator"
import { OperatorActions } from "@venue/auth/access/OperatorActions"
import type { Unavailable } from "@venue/cluster/protocol/Market"
import { UserId } from "@venue/domain/UserId"
import { BuilderCodes, type UnknownBuilderCode } from "@venue/storage/access/BuilderCodes"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import type { UnknownUser } from "@venue/storage/access/Users"
import { Effect, Option } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import * as BuilderAppointment from "../BuilderAppointment.ts"
import { group } from "../http/Endpoints.ts"
import { byOperator } from "./Operators.ts"

export const layer = group(
  AdminApi,
  "users",
  Effect.fnUntraced(function* (handlers) {
    const operatorActions = yield* OperatorActions
    const codes = yield* BuilderCodes
    const appoint = yield* BuilderAppointment.make
    const refusals = yield* apiProblems
    const activate = Effect.fnUntraced(function* (builderCode: string, by: Operator) {
      const builder = yield* codes.find(builderCode)
      if (Option.isSome(builder)) yield* appoint(builder.value)
      yield* operatorActions.setBuilderActive(builderCode, true, by)
    })
    const decide = (reason: string, decision: (by: Operator) => Decision) =>
      Effect.flatMap(byOperator(reason), decision).pipe(
        Effect.catchTags({
          UnknownUser: ({ userId }) =>
            Effect.fail(refusals.notFound("user", userId, "send the user_id of an existing user")),
          UnknownBuilderCode: ({ builderCode }) =>
            Effect.fail(
              refusals.notFound("builder code", builderCode, "send a code that POST /user/builder-code created")
            ),
          DatabaseUnavailable: () => Effect.fail(refusals.draining()),
          Unavailable: () => Effect.fail(refusals.draining())
        })
      )

    return handlers
      .handle("freeze", ({ payload: { reason, user_id } }) =>
        decide(reason, (by) => operatorActions.freeze(UserId.make(user_id.toLowerCase()), by))
      )
      .handle("unfreeze", ({ payload: { reason, user_id } }) =>
        decide(reason, (by) => operatorActions.unfreeze(UserId.make(user_id.toLowerCase()), by))
      )
      .handle("activate", ({ payload: { builder_code, reason } }) =>
        decide(reason, (by) => activate(builder_code.toLowerCase(), by))
      )
      .handle("deactivate", ({ payload: { builder_code, reason } }) =>
        decide(reason, (by) => operatorActions.setBuilderActive(builder_code.toLowerCase(), false, by))
      )
  })
)

type Decision = Effect.Effect<void, UnknownUser | UnknownBuilderCode | DatabaseUnavailable | Unavailable>
