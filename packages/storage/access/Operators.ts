/** The venue's operators; only hashes of their tokens and sealed second factors are stored. */
import { OperatorName, OperatorRole } from "@venue/domain/Operator"
import { bigint, boolean, bytea, of, orNull, text, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Seal, unsealed } from "@venue/postgres/Seal"
import { hashOf } from "@venue/postgres/SecretHash"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Option, type Redacted, Schema, Struct } from "effect"

const operatorTable = Table.make("operator", {
  name: of("text", OperatorName),
  tokenHash: text,
  roles: of("text[]", Schema.Array(OperatorRole)),
  createdAtMillis: timestamptz,
  /** Null while the operator is appointed. */
  removedAtMillis: orNull(timestamptz),
  /** Null for a token of a release without expiry. */
  expiresAtMillis: orNull(timestamptz),
  needsFactor: boolean,
  sealedFactor: orNull(bytea),
  /** Time step of the last accepted code; null until the first. */
  acceptedStep: orNull(bigint),
  /** Time at which another operator replaced the token; null for the token of the appointment. */
  tokenGivenAtMillis: orNull(timestamptz)
})
type Row = Table.Row<typeof operatorTable>

const sessionTable = Table.make("operator_session", {
  tokenHash: text,
  name: of("text", OperatorName),
  createdAtMillis: timestamptz,
  expiresAtMillis: timestamptz
})

export interface Operator extends Omit<Row, "tokenHash" | "sealedFactor" | "acceptedStep" | "tokenGivenAtMillis"> {
  /** Time of the appointment, or of the last renewal of the token by another operator. */
  readonly ownTokenSinceMillis: number
  /** Whether a code of the operator's second factor was accepted. */
  readonly hasFactor: boolean
}
export type NewOperator = Pick<Operator, "name" | "roles" | "expiresAtMillis" | "needsFactor">

/** Operator of a bearer, and whether the bearer proves the second factor. */
export interface Presented {
  readonly operator: Operator
  readonly isSession: boolean
}

/** Change of a token. A new `needsFactor` discards the operator's factor. */
export interface Renewal {
  readonly expiresAtMillis: number
  readonly needsFactor?: boolean | undefined
  /** Whether the operator renews the token in person. */
  readonly isOwn: boolean
}

export interface FactorTerms extends Pick<Operator, "needsFactor" | "expiresAtMillis"> {
  /** Null until the operator draws a factor. */
  readonly secret: Redacted.Redacted | null
}

/** A current or removed operator already has this name. */
export class OperatorExists extends Schema.TaggedError<OperatorExists>()("OperatorExists", { name: Schema.String }) {}

export class Operators extends Context.Service<
  Operators,
  {
    /** Adds an operator with a new random token. */
    readonly add: (
      operator: NewOperator,
      token: Redacted.Redacted
    ) => Effect.Effect<Operator, OperatorExists | DatabaseUnavailable>
    /** Returns the operator of a valid token or session. */
    readonly ofToken: (token: Redacted.Redacted) => Effect.Effect<Option.Option<Presented>, DatabaseUnavailable>
    /** Replaces a current operator's token and ends the operator's sessions. */
    readonly renew: (
      name: string,
      token: Redacted.Redacted,
      renewal: Renewal
    ) => Effect.Effect<Option.Option<Operator>, DatabaseUnavailable>
    /** Ends the operator's token and sessions; returns false if no current operator has this name. */
    readonly remove: (name: string) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Stores a new factor; returns false if the operator needs none, or a code of the present one was accepted. */
    readonly setFactor: (name: string, secret: Redacted.Redacted) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Returns the terms under which a current operator begins a session. */
    readonly factorOf: (name: string) => Effect.Effect<Option.Option<FactorTerms>, DatabaseUnavailable>
    /** Accepts a code by its time step; returns false if this or a later step was accepted before. */
    readonly acceptStep: (name: string, step: number) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Begins a session, and forgets the operator's expired ones. */
    readonly beginSession: (
      name: string,
      token: Redacted.Redacted,
      expiresAtMillis: number
    ) => Effect.Effect<void, DatabaseUnavailable>
    /** Ends the sessions of all operators; their tokens stay valid. */
    readonly endAllSessions: Effect.Effect<void, DatabaseUnavailable>
    /** The first 1,000 operators in the order in which they were added, including removed ones. */
    readonly list: Effect.Effect<ReadonlyArray<Operator>, DatabaseUnavailable>
  }
>()("@venue/storage/access/Operators") {
  static readonly layer = Store.layer(Operators, () => Effect.flatMap(Seal, make))
  static readonly layerMemory = Store.layerMemory(Operators, () => make(unsealed))
}

const make = Effect.fnUntraced(function* ({ open, seal }: Seal["Service"]) {
  const operators = yield* Store.make(operatorTable, { key: ["name"], order: { createdAtMillis: "asc", name: "asc" } })
  const sessions = yield* Store.make(sessionTable, { key: ["tokenHash"] })
  const current = (name: string) => ({ name: OperatorName.make(name), removedAtMillis: null })
  const live = Effect.fnUntraced(function* (where: Store.Where<Row>) {
    const now = yield* Clock.currentTimeMillis
    const row = yield* operators.find({ ...where, removedAtMillis: null })
    return Option.filter(row, ({ expiresAtMillis }) => expiresAtMillis === null || expiresAtMillis > now)
  })
  const endSessions = (name: string) => sessions.remove({ name: OperatorName.make(name) })

  return Operators.of({
    add: Effect.fn("Operators.add")(function* (operator: NewOperator, token: Redacted.Redacted) {
      const createdAtMillis = yield* Clock.currentTimeMillis
      const tokenHash = hashOf(token)
      const row: Row = { ...operator, ...justAppointed, tokenHash, createdAtMillis }
      if (!(yield* operators.insert(row))) return yield* new OperatorExists({ name: operator.name })
      return operatorOf(row)
    }),
    ofToken: Effect.fn("Operators.ofToken")(function* (token: Redacted.Redacted) {
      const tokenHash = hashOf(token)
      const holder = yield* live({ tokenHash })
      if (Option.isSome(holder)) return Option.some({ operator: operatorOf(holder.value), isSession: false })
      const session = yield* sessions.find({ tokenHash })
      if (Option.isNone(session) || session.value.expiresAtMillis <= (yield* Clock.currentTimeMillis)) {
        return Option.none()
      }
      return Option.map(yield* live({ name: session.value.name }), (row) => ({
        operator: operatorOf(row),
        isSession: true
      }))
    }),
    renew: Effect.fn("Operators.renew")(function* (name, token, { expiresAtMillis, isOwn, needsFactor }) {
      const factor = needsFactor === undefined ? {} : { needsFactor, ...noFactor }
      const given = isOwn ? {} : { tokenGivenAtMillis: yield* Clock.currentTimeMillis }
      const change = { tokenHash: hashOf(token), expiresAtMillis, ...factor, ...given }
      const renewed = yield* operators.update(current(name), change)
      if (Option.isSome(renewed)) yield* endSessions(name)
      return Option.map(renewed, operatorOf)
    }, operators.transaction),
    remove: Effect.fn("Operators.remove")(function* (name: string) {
      const removedAtMillis = yield* Clock.currentTimeMillis
      yield* endSessions(name)
      return Option.isSome(yield* operators.update(current(name), { removedAtMillis }))
    }, operators.transaction),
    setFactor: Effect.fn("Operators.setFactor")(function* (name, secret) {
      const sealedFactor = seal(secret, sealName(name))
      const row = yield* operators.update({ ...current(name), needsFactor: true, acceptedStep: null }, { sealedFactor })
      return Option.isSome(row)
    }),
    factorOf: Effect.fn("Operators.factorOf")(function* (name) {
      return Option.map(yield* operators.find(current(name)), ({ expiresAtMillis, needsFactor, sealedFactor }) => ({
        needsFactor,
        expiresAtMillis,
        secret: sealedFactor === null ? null : open(sealedFactor, sealName(name))
      }))
    }),
    acceptStep: Effect.fn("Operators.acceptStep")(function* (name, step) {
      const accepted = yield* operators.modify({ name: OperatorName.make(name) }, (row) =>
        row === undefined || (row.acceptedStep ?? -1) >= step ? undefined : { ...row, acceptedStep: step }
      )
      return Option.isSome(accepted)
    }),
    beginSession: Effect.fn("Operators.beginSession")(function* (name, token, expiresAtMillis) {
      const own = { name: OperatorName.make(name) }
      const createdAtMillis = yield* Clock.currentTimeMillis
      yield* sessions.remove({ ...own, expiresAtMillis: Store.atMost(createdAtMillis) })
      yield* sessions.put({ ...own, tokenHash: hashOf(token), createdAtMillis, expiresAtMillis })
    }, operators.transaction),
    endAllSessions: Effect.withSpan(sessions.remove({}), "Operators.endAllSessions"),
    list: Effect.map(operators.list({}, maxListed), (rows) => rows.map(operatorOf)).pipe(
      Effect.withSpan("Operators.list")
    )
  })
})

const maxListed = 1_000

const noFactor = { sealedFactor: null, acceptedStep: null }
const justAppointed = { ...noFactor, removedAtMillis: null, tokenGivenAtMillis: null }

const operatorOf = (row: Row): Operator => ({
  ...Struct.omit(row, ["tokenHash", "sealedFactor", "acceptedStep", "tokenGivenAtMillis"]),
  ownTokenSinceMillis: row.tokenGivenAtMillis ?? row.createdAtMillis,
  hasFactor: row.acceptedStep !== null
})

/** The prefix prevents an operator's sealed secret from being opened as another kind of secret. */
export const sealName = (name: string): string => `operator:${name}`
