/** Operator tokens and sessions. The audit log records who added, renewed or removed an operator, and why. */
import { firstOperator, mayAct, type OperatorRole, sessionHours } from "@venue/domain/Operator"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Transaction } from "@venue/postgres/Transaction"
import { Audit } from "@venue/storage/access/Audit"
import {
  type NewOperator,
  type Operator as Appointed,
  OperatorExists,
  Operators,
  type Presented
} from "@venue/storage/access/Operators"
import { Clock, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Totp from "../session/Totp.ts"
import type { Operator } from "./Operator.ts"

/** No operator with this name has a token. */
export class NoSuchOperator extends Schema.TaggedError<NoSuchOperator>()("NoSuchOperator", { name: Schema.String }) {}

/** Only an admin is allowed to renew another operator's token or to change an operator's second factor. */
export class RenewalForbidden extends Schema.TaggedError<RenewalForbidden>()("RenewalForbidden", {
  needed: Schema.Literal("admin")
}) {}

/** The operator needs no second factor, or a code of the present one was already accepted. */
export class FactorSettled extends Schema.TaggedError<FactorSettled>()("FactorSettled", {
  isNeeded: Schema.Boolean
}) {}

/** The operator has no second factor yet. */
export class FactorMissing extends Schema.TaggedError<FactorMissing>()("FactorMissing", {
  isNeeded: Schema.Boolean
}) {}

/** The code is wrong or was already used. */
export class OperatorCodeRefused extends Schema.TaggedError<OperatorCodeRefused>()("OperatorCodeRefused", {
  name: Schema.String
}) {}

/** Appointment as requested; the lifetime of the token is in days. */
export type Appointment = Omit<NewOperator, "expiresAtMillis"> & { readonly days: number }

export interface Issued {
  readonly operator: Appointed
  /** Bearer token, which cannot be retrieved later. */
  readonly token: Redacted.Redacted
}

export interface RenewalRequest {
  /** Operator whose token is replaced; default: the caller. */
  readonly name?: string | undefined
  readonly days: number
  readonly needsFactor?: boolean | undefined
}

export interface Caller {
  readonly name: string
  readonly roles: ReadonlyArray<OperatorRole>
}

export class OperatorTokens extends Context.Service<
  OperatorTokens,
  {
    readonly find: (token: Redacted.Redacted) => Effect.Effect<Option.Option<Presented>, DatabaseUnavailable>
    readonly appoint: (
      appointment: Appointment,
      by: Operator
    ) => Effect.Effect<Issued, OperatorExists | DatabaseUnavailable>
    /** Replaces a token and ends the operator's sessions. The former token ends at once. */
    readonly renew: (
      request: RenewalRequest,
      caller: Caller,
      reason: string
    ) => Effect.Effect<Issued, NoSuchOperator | RenewalForbidden | DatabaseUnavailable>
    readonly dismiss: (name: string, by: Operator) => Effect.Effect<void, NoSuchOperator | DatabaseUnavailable>
    /** Draws the secret of a second factor. It replaces one whose codes were never accepted. */
    readonly enrol: (name: string) => Effect.Effect<Redacted.Redacted, FactorSettled | DatabaseUnavailable>
    /** Exchanges a code of the second factor for a session of 12 h, or until the operator's token expires. */
    readonly beginSession: (
      name: string,
      code: Redacted.Redacted
    ) => Effect.Effect<
      { readonly token: Redacted.Redacted; readonly expiresAtMillis: number },
      FactorMissing | OperatorCodeRefused | DatabaseUnavailable
    >
    readonly list: Effect.Effect<ReadonlyArray<Appointed>, DatabaseUnavailable>
  }
>()("@venue/auth/access/OperatorTokens") {
  static readonly layer: Layer.Layer<
    OperatorTokens,
    never,
    Audit | Operators | SecureRandom.SecureRandom | Transaction
  > = Layer.effect(
    OperatorTokens,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const audit = yield* Audit
  const operators = yield* Operators
  const random = yield* SecureRandom.SecureRandom
  const transaction = yield* Transaction
  const draw = Effect.map(random.randomBytes(tokenBytes), (bytes) =>
    Redacted.make(Buffer.from(bytes).toString("base64url"))
  )
  const expiryAfter = (days: number) => Effect.map(Clock.currentTimeMillis, (now) => now + days * dayMillis)

  /** The first operator is in the settings only, and signs in with the token alone. */
  const termsOf = (name: string) =>
    Effect.map(
      operators.factorOf(name),
      Option.getOrElse(() => ({ needsFactor: false, expiresAtMillis: null, secret: null }))
    )

  return OperatorTokens.of({
    find: operators.ofToken,
    appoint: Effect.fn("OperatorTokens.appoint")(function* ({ days, ...operator }, { actor, reason }) {
      if (operator.name === firstOperator) return yield* new OperatorExists({ name: operator.name })
      const token = yield* draw
      const added = yield* operators.add({ ...operator, expiresAtMillis: yield* expiryAfter(days) }, token)
      const facts = { reason, roles: operator.roles.join(" "), days, secondFactor: operator.needsFactor }
      yield* audit.record({ action: "operator_appointed", actor, subject: operator.name, facts })
      return { operator: added, token }
    }, transaction.run),
    renew: Effect.fn("OperatorTokens.renew")(function* ({ days, name: named, needsFactor }, caller, reason) {
      const name = named ?? caller.name
      const isOwn = name === caller.name
      if ((!isOwn || needsFactor !== undefined) && !mayAct(caller.roles, "admin"))
        return yield* new RenewalForbidden({ needed: "admin" })
      const token = yield* draw
      const renewed = yield* operators.renew(name, token, {
        expiresAtMillis: yield* expiryAfter(days),
        needsFactor,
        isOwn
      })
      if (Option.isNone(renewed)) return yield* new NoSuchOperator({ name })
      const facts = { reason, days, ...(needsFactor === undefined ? {} : { secondFactor: needsFactor }) }
      yield* audit.record({ action: "operator_renewed", actor: caller.name, subject: name, facts })
      return { operator: renewed.value, token }
    }, transaction.run),
    dismiss: Effect.fn("OperatorTokens.dismiss")(function* (name: string, { actor, reason }: Operator) {
      if (!(yield* operators.remove(name))) return yield* new NoSuchOperator({ name })
      yield* audit.record({ action: "operator_dismissed", actor, subject: name, facts: { reason } })
    }, transaction.run),
    enrol: Effect.fn("OperatorTokens.enrol")(function* (name) {
      const secret = Totp.secretOf(yield* random.randomBytes(Totp.secretBytes))
      if (!(yield* operators.setFactor(name, secret))) {
        const { needsFactor: isNeeded } = yield* termsOf(name)
        return yield* new FactorSettled({ isNeeded })
      }
      yield* audit.record({ action: "operator_factor_drawn", actor: name, subject: name, facts: {} })
      return secret
    }, transaction.run),
    beginSession: Effect.fn("OperatorTokens.beginSession")(function* (name, code) {
      const { expiresAtMillis: limit, needsFactor, secret } = yield* termsOf(name)
      if (!needsFactor || secret === null) return yield* new FactorMissing({ isNeeded: needsFactor })
      const now = yield* Clock.currentTimeMillis
      const step = Totp.stepOf(secret, code, now)
      if (step === undefined || !(yield* operators.acceptStep(name, step))) {
        return yield* new OperatorCodeRefused({ name })
      }
      const token = yield* draw
      const expiresAtMillis = Math.min(now + sessionHours * hourMillis, limit ?? Infinity)
      yield* operators.beginSession(name, token, expiresAtMillis)
      const facts = { hours: Math.round((expiresAtMillis - now) / hourMillis) }
      yield* audit.record({ action: "operator_signed_in", actor: name, subject: name, facts })
      return { token, expiresAtMillis }
    }, transaction.run),
    list: operators.list
  })
})

const tokenBytes = 32
const hourMillis = 3_600_000
const dayMillis = 24 * hourMillis
