/** Operator tokens. The audit log records who added or removed an operator, and why. */
import { firstOperator, type OperatorRole } from "@venue/domain/Operator"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Transaction } from "@venue/postgres/Transaction"
import { Audit } from "@venue/storage/access/Audit"
import {
  type NewOperator,
  type Operator as Appointed,
  OperatorExists,
  Operators
} from "@venue/storage/access/Operators"
import { Context, Effect, Layer, type Option, Redacted, Schema } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import type { Operator } from "./Operator.ts"

/** No operator with this name has a token. */
export class NoSuchOperator extends Schema.TaggedError<NoSuchOperator>()("NoSuchOperator", { name: Schema.String }) {}

export class OperatorTokens extends Context.Service<
  OperatorTokens,
  {
    readonly find: (token: Redacted.Redacted) => Effect.Effect<Option.Option<Appointed>, DatabaseUnavailable>
    /** Adds an operator and returns the operator's token, which cannot be retrieved later. */
    readonly appoint: (
      operator: NewOperator,
      by: Operator
    ) => Effect.Effect<Redacted.Redacted, OperatorExists | DatabaseUnavailable>
    readonly dismiss: (name: string, by: Operator) => Effect.Effect<void, NoSuchOperator | DatabaseUnavailable>
    readonly list: Effect.Effect<ReadonlyArray<Appointed>, DatabaseUnavailable>
  }
>()("@venue/auth/access/OperatorTokens") {
  static readonly layer: Layer.Layer<
    OperatorTokens,
    never,
    Audit | Operators | SecureRandom.SecureRandom | Transaction
  > = Layer.effect(
    OperatorTokens,
    Effect.gen(function* () {
      const audit = yield* Audit
      const operators = yield* Operators
      const random = yield* SecureRandom.SecureRandom
      const transaction = yield* Transaction
      const record = (action: string, name: string, { actor, reason }: Operator, roles: ReadonlyArray<OperatorRole>) =>
        audit.record({ action, actor, subject: name, facts: { reason, roles: roles.join(" ") } })

      return OperatorTokens.of({
        find: operators.ofToken,
        appoint: Effect.fn("OperatorTokens.appoint")(function* (operator: NewOperator, by: Operator) {
          if (operator.name === firstOperator) return yield* new OperatorExists({ name: operator.name })
          const token = Redacted.make(Buffer.from(yield* random.randomBytes(tokenBytes)).toString("base64url"))
          yield* operators.add(operator, token)
          yield* record("operator_appointed", operator.name, by, operator.roles)
          return token
        }, transaction.run),
        dismiss: Effect.fn("OperatorTokens.dismiss")(function* (name: string, by: Operator) {
          if (!(yield* operators.remove(name))) return yield* new NoSuchOperator({ name })
          yield* record("operator_dismissed", name, by, [])
        }, transaction.run),
        list: operators.list
      })
    })
  )
}

const tokenBytes = 32
