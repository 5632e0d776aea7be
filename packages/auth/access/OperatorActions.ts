/** Operators' decisions about users, API keys and builders, each with a reason for the audit log. */
import type { UnknownApiKey } from "@venue/domain/ApiKey"
import type { Permission } from "@venue/domain/Permission"
import type { UserId } from "@venue/domain/UserId"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { Audit } from "@venue/storage/access/Audit"
import { BuilderCodes, type UnknownBuilderCode } from "@venue/storage/access/BuilderCodes"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Transaction } from "@venue/postgres/Transaction"
import type { UnknownUser } from "@venue/storage/access/Users"
import { UserStates } from "@venue/storage/access/UserStates"
import { Context, Effect, Layer } from "effect"
import type { Operator } from "./Operator.ts"

/** A repeated action changes nothing, but adds an audit record. */
export class OperatorActions extends Context.Service<
  OperatorActions,
  {
    /** Blocks all of a user's actions until the user is unfrozen; the user's holdings stay. */
    readonly freeze: (userId: UserId, operator: Operator) => Effect.Effect<void, UnknownUser | DatabaseUnavailable>
    readonly unfreeze: (userId: UserId, operator: Operator) => Effect.Effect<void, UnknownUser | DatabaseUnavailable>
    /** Sets whether the owner of a builder code is allowed to obtain keys for other users. */
    readonly setBuilderActive: (
      builderCode: string,
      active: boolean,
      operator: Operator
    ) => Effect.Effect<void, UnknownBuilderCode | DatabaseUnavailable>
    /** Grants a permission, including permissions that users cannot choose themselves. Applies to later requests with the key. */
    readonly grantPermission: (
      publicKey: string,
      permission: Permission,
      operator: Operator
    ) => Effect.Effect<void, UnknownApiKey | DatabaseUnavailable>
    readonly withdrawPermission: (
      publicKey: string,
      permission: Permission,
      operator: Operator
    ) => Effect.Effect<void, UnknownApiKey | DatabaseUnavailable>
  }
>()("@venue/auth/access/OperatorActions") {
  static readonly layer: Layer.Layer<
    OperatorActions,
    never,
    ApiKeys | Audit | BuilderCodes | Transaction | UserStates
  > = Layer.effect(
    OperatorActions,
    Effect.gen(function* () {
      const audit = yield* Audit
      const codes = yield* BuilderCodes
      const keys = yield* ApiKeys
      const states = yield* UserStates
      const transaction = yield* Transaction

      const setPermission = Effect.fnUntraced(function* (
        publicKey: string,
        permission: Permission,
        granted: boolean,
        { actor, reason }: Operator
      ) {
        const userId = yield* keys.setPermission(publicKey, permission, granted)
        const action = granted ? "permission_granted" : "permission_withdrawn"
        yield* audit.record({ action, actor, subject: userId, facts: { publicKey, permission, reason } })
      }, transaction.run)

      return OperatorActions.of({
        freeze: Effect.fn("OperatorActions.freeze")(function* (userId: UserId, { actor, reason }: Operator) {
          yield* states.freeze(userId)
          yield* audit.record({ action: "user_frozen", actor, subject: userId, facts: { reason } })
        }, transaction.run),
        unfreeze: Effect.fn("OperatorActions.unfreeze")(function* (userId: UserId, { actor, reason }: Operator) {
          yield* states.unfreeze(userId)
          yield* audit.record({ action: "user_unfrozen", actor, subject: userId, facts: { reason } })
        }, transaction.run),
        setBuilderActive: Effect.fn("OperatorActions.setBuilderActive")(function* (
          builderCode: string,
          active: boolean,
          { actor, reason }: Operator
        ) {
          const { userId } = yield* codes.setActive(builderCode, active)
          const action = active ? "builder_code_activated" : "builder_code_deactivated"
          yield* audit.record({ action, actor, subject: userId, facts: { builderCode, reason } })
        }, transaction.run),
        grantPermission: Effect.fn("OperatorActions.grantPermission")((publicKey, permission, operator) =>
          setPermission(publicKey, permission, true, operator)
        ),
        withdrawPermission: Effect.fn("OperatorActions.withdrawPermission")((publicKey, permission, operator) =>
          setPermission(publicKey, permission, false, operator)
        )
      })
    })
  )
}
