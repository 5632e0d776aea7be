/** The people who run the venue are appointed and dismissed. */
import { OperatorName, OperatorRole } from "@venue/domain/Operator"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Moment, RowCount, SchemaLink } from "../Body.ts"
import { instant } from "../Digits.ts"
import { Conflict, NotFound, ServiceUnavailable } from "../Problem.ts"
import { secret } from "../Secret.ts"
import { OperatorOnly, Reason } from "./Operator.ts"

const Roles = Schema.Array(OperatorRole).check(Schema.isMinLength(1), Schema.isUnique())

/** Whoever takes a token for a name is not told it again. */
const name = secret(OperatorName)

export const AppointOperator = Schema.Struct({
  $schema: SchemaLink,
  name,
  roles: Roles,
  reason: Reason
}).annotate({ identifier: "AppointOperator" })

export const OperatorBody = Schema.Struct({
  name: Schema.String,
  roles: Schema.Array(OperatorRole),
  created_at: Moment,
  /** It is `null` while the token is good. */
  removed_at: Schema.NullOr(Moment)
}).annotate({ identifier: "OperatorBody" })
export type OperatorBody = typeof OperatorBody.Type

/** The token is told this once. */
export const AppointedOperator = Schema.Struct({
  name: Schema.String,
  roles: Schema.Array(OperatorRole),
  token: Schema.String
}).annotate({ identifier: "AppointedOperator" })

/** Whoever has the token of the venue's settings is not in it. */
export const OperatorList = Schema.Struct({ data: Schema.Array(OperatorBody), count: RowCount }).annotate({
  identifier: "OperatorList"
})

export const OperatorNamed = Schema.Struct({ $schema: SchemaLink, name, reason: Reason }).annotate({
  identifier: "OperatorNamed"
})

export const AppointmentsGroup = HttpApiGroup.make("appointments")
  .add(
    HttpApiEndpoint.get("list", "/operators", { success: OperatorList, error: ServiceUnavailable }),
    HttpApiEndpoint.post("appoint", "/operators", {
      payload: AppointOperator,
      success: AppointedOperator.pipe(HttpApiSchema.status(201)),
      error: [Conflict, ServiceUnavailable]
    }),
    HttpApiEndpoint.post("dismiss", "/operators/dismiss", {
      payload: OperatorNamed,
      success: HttpApiSchema.NoContent,
      error: [NotFound, ServiceUnavailable]
    })
  )
  .middleware(OperatorOnly)

export const operatorBody = (operator: {
  readonly name: string
  readonly roles: ReadonlyArray<OperatorRole>
  readonly createdAtMillis: number
  readonly removedAtMillis: number | null
}): OperatorBody => ({
  name: operator.name,
  roles: operator.roles,
  created_at: instant(operator.createdAtMillis),
  removed_at: operator.removedAtMillis === null ? null : instant(operator.removedAtMillis)
})
