/** The venue's operators; only their tokens' hashes are stored. */
import { OperatorName, OperatorRole } from "@venue/domain/Operator"
import { of, orNull, text, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { hashOf } from "@venue/postgres/SecretHash"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Option, type Redacted, Schema, Struct } from "effect"

const operatorTable = Table.make("operator", {
  name: of("text", OperatorName),
  tokenHash: text,
  roles: of("text[]", Schema.Array(OperatorRole)),
  createdAtMillis: timestamptz,
  /** Null while the token is valid. */
  removedAtMillis: orNull(timestamptz)
})
type Row = Table.Row<typeof operatorTable>

export type Operator = Omit<Row, "tokenHash">
export type NewOperator = Pick<Operator, "name" | "roles">

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
    /** Returns the operator with this token, or `Option.none` if the token is unknown or the operator was removed. */
    readonly ofToken: (token: Redacted.Redacted) => Effect.Effect<Option.Option<Operator>, DatabaseUnavailable>
    /** Invalidates the operator's token; returns false if no current operator has this name. */
    readonly remove: (name: string) => Effect.Effect<boolean, DatabaseUnavailable>
    /** The first 1,000 operators in the order in which they were added, including removed ones. */
    readonly list: Effect.Effect<ReadonlyArray<Operator>, DatabaseUnavailable>
  }
>()("@venue/storage/access/Operators") {
  static readonly layer = Store.layer(Operators, () => make)
  static readonly layerMemory = Store.layerMemory(Operators, () => make)
}

const make = Effect.gen(function* () {
  const operators = yield* Store.make(operatorTable, { key: ["name"], order: { createdAtMillis: "asc", name: "asc" } })
  return Operators.of({
    add: Effect.fn("Operators.add")(function* (operator: NewOperator, token: Redacted.Redacted) {
      const createdAtMillis = yield* Clock.currentTimeMillis
      const row = { ...operator, tokenHash: hashOf(token), createdAtMillis, removedAtMillis: null }
      if (!(yield* operators.insert(row))) return yield* new OperatorExists({ name: operator.name })
      return operatorOf(row)
    }),
    ofToken: Effect.fn("Operators.ofToken")(function* (token: Redacted.Redacted) {
      return Option.map(yield* operators.find({ tokenHash: hashOf(token), removedAtMillis: null }), operatorOf)
    }),
    remove: Effect.fn("Operators.remove")(function* (name: string) {
      const removedAtMillis = yield* Clock.currentTimeMillis
      const current = { name: OperatorName.make(name), removedAtMillis: null }
      return Option.isSome(yield* operators.update(current, { removedAtMillis }))
    }),
    list: Effect.map(operators.list({}, maxListed), (rows) => rows.map(operatorOf)).pipe(
      Effect.withSpan("Operators.list")
    )
  })
})

const maxListed = 1_000

const operatorOf = (row: Row): Operator => Struct.omit(row, ["tokenHash"])
