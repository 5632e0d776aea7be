/** Appointment and dismissal of operators. */
import { OperatorName, OperatorRole } from "@venue/domain/Operator"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Moment, RowCount, SchemaLink } from "../Body.ts"
import { instant } from "../Digits.ts"
import { Conflict, NotFound, ServiceUnavailable } from "../Problem.ts"
import { secret } from "../Secret.ts"
import { OperatorOnly, Reason } from "./Operator.ts"
import { operation } from "../Operation.ts"

const Roles = Schema.Array(OperatorRole)
  .annotate({
    description:
      "Roles of the operator, each at most once: `viewer` can read, `treasurer` can decide about money, `admin` can do everything.",
    examples: [["viewer"]]
  })
  .check(Schema.isMinLength(1), Schema.isUnique())

/** Secret, because a client might send a token as the name by mistake, and the refusal must not echo the token. */
const name = secret(
  OperatorName.annotate({
    description:
      "Name of the operator: 2 to 64 characters from a-z, 0-9, dot, underscore and hyphen, starting with a letter or digit.",
    examples: ["alice"]
  })
)

/** Body of `POST /operators`. */
export const AppointOperator = Schema.Struct({
  $schema: SchemaLink,
  name,
  roles: Roles,
  reason: Reason
}).annotate({ identifier: "AppointOperator" })

/** Operator: a person who runs the venue. */
export const OperatorBody = Schema.Struct({
  name: Schema.String.annotate({ description: "Name of the operator." }),
  roles: Schema.Array(OperatorRole).annotate({ description: "Roles of the operator." }),
  created_at: Moment.annotate({ description: "Time of appointment, ISO 8601 in UTC." }),
  removed_at: Schema.NullOr(Moment).annotate({
    description: "Time of dismissal, ISO 8601 in UTC; null for a current operator."
  })
}).annotate({ identifier: "OperatorBody", description: "Person with access to the operator interface." })
export type OperatorBody = typeof OperatorBody.Type

/** New operator with the token, which only this response contains. */
export const AppointedOperator = Schema.Struct({
  name: Schema.String.annotate({ description: "Name of the operator." }),
  roles: Schema.Array(OperatorRole).annotate({ description: "Roles of the operator." }),
  token: Schema.String.annotate({ description: "Bearer token of the operator, returned only in this response." })
}).annotate({ identifier: "AppointedOperator" })

/** Operators in the venue's records. The owner of the token in the venue's settings has no record. */
export const OperatorList = Schema.Struct({
  data: Schema.Array(OperatorBody).annotate({
    description: "Current and former operators. The owner of the token in the venue's settings is not listed."
  }),
  count: RowCount
}).annotate({
  identifier: "OperatorList"
})

/** Body of `POST /operators/dismiss`. */
export const OperatorNamed = Schema.Struct({ $schema: SchemaLink, name, reason: Reason }).annotate({
  identifier: "OperatorNamed"
})

export const AppointmentsGroup = HttpApiGroup.make("appointments")
  .add(
    HttpApiEndpoint.get("list", "/operators", { success: OperatorList, error: ServiceUnavailable }).annotateMerge(
      operation("List operators", "Returns the current and former operators with their roles.")
    ),
    HttpApiEndpoint.post("appoint", "/operators", {
      payload: AppointOperator,
      success: AppointedOperator.pipe(HttpApiSchema.status(201)),
      error: [Conflict, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Appoint an operator",
        "Creates an operator and returns the bearer token, which is never shown again. Refused with 409 if a current or former operator has the name."
      )
    ),
    HttpApiEndpoint.post("dismiss", "/operators/dismiss", {
      payload: OperatorNamed,
      success: HttpApiSchema.NoContent,
      error: [NotFound, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Dismiss an operator",
        "Revokes the token of an operator immediately. Refused with 404 for an unknown operator."
      )
    )
  )
  .middleware(OperatorOnly)

/** Converts an operator to its wire format. */
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
