/** Appointment and dismissal of operators. */
import { firstOperator, OperatorName, OperatorRole, tokenDays } from "@venue/domain/Operator"
import { Redacted, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Moment, NumberOrText, RowCount, SchemaLink } from "../Body.ts"
import { instant } from "../Digits.ts"
import { Conflict, Forbidden, NotFound, ServiceUnavailable } from "../Problem.ts"
import { secret } from "../Secret.ts"
import { NeededRole, OperatorOnly, Reason } from "./Operator.ts"
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

const days = Schema.optionalKey(
  NumberOrText(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: tokenDays.most }))).annotate({
    description: `Lifetime of the token in days, 1 to ${tokenDays.most}. Default: ${tokenDays.usual}.`,
    examples: [tokenDays.usual]
  })
)

/** Body of `POST /operators`. */
export const AppointOperator = Schema.Struct({
  $schema: SchemaLink,
  name,
  roles: Roles,
  expires_in_days: days,
  second_factor: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Whether each session of the operator requires a code from an authenticator app. Default: false.",
      examples: [true]
    })
  ),
  reason: Reason
}).annotate({ identifier: "AppointOperator" })

const FactorState = Schema.Literals(["none", "required", "enrolled"])

/** Operator: a person who runs the venue. */
export const OperatorBody = Schema.Struct({
  name: Schema.String.annotate({ description: "Name of the operator, as in the audit log." }),
  kind: Schema.Literals(["first-admin", "appointed"]).annotate({
    description: "`first-admin` for the owner of the token in the venue's settings, else `appointed`."
  }),
  roles: Schema.Array(OperatorRole).annotate({ description: "Roles of the operator." }),
  second_factor: FactorState.annotate({
    description:
      "`none`: the token suffices; `required`: the operator must create a second factor; `enrolled`: each session requires a code."
  }),
  created_at: Schema.NullOr(Moment).annotate({
    description: "Time of appointment, ISO 8601 in UTC; null for the first admin."
  }),
  expires_at: Schema.NullOr(Moment).annotate({
    description: "Time at which the token expires, ISO 8601 in UTC; null if the token does not expire."
  }),
  removed_at: Schema.NullOr(Moment).annotate({
    description: "Time of dismissal, ISO 8601 in UTC; null for a current operator."
  })
}).annotate({ identifier: "OperatorBody", description: "Person with access to the operator interface." })
export type OperatorBody = typeof OperatorBody.Type

/** Operator with a new token, which only this response contains. */
export const AppointedOperator = Schema.Struct({
  name: Schema.String.annotate({ description: "Name of the operator." }),
  roles: Schema.Array(OperatorRole).annotate({ description: "Roles of the operator." }),
  second_factor: FactorState.annotate({ description: "Second factor of the operator, as in `GET /operators`." }),
  expires_at: Moment.annotate({ description: "Time at which the token expires, ISO 8601 in UTC." }),
  token: Schema.String.annotate({ description: "Bearer token of the operator, returned only in this response." })
}).annotate({ identifier: "AppointedOperator" })

/** Response body of `GET /operators`. */
export const OperatorList = Schema.Struct({
  data: Schema.Array(OperatorBody).annotate({
    description: "The first admin, then current and former operators in the order of their appointment."
  }),
  count: RowCount
}).annotate({
  identifier: "OperatorList"
})

/** Body of `POST /operators/renew`. */
export const RenewOperator = Schema.Struct({
  $schema: SchemaLink,
  name: Schema.optionalKey(
    secret(
      OperatorName.annotate({
        description:
          "Operator whose token is replaced. Default: the caller. Another operator's token can be replaced only with the role `admin`.",
        examples: ["alice"]
      })
    )
  ),
  expires_in_days: days,
  second_factor: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "`true`: discards the operator's second factor and requires a new one; `false`: requires none. Requires the role `admin`. Default: no change.",
      examples: [true]
    })
  ),
  reason: Reason
}).annotate({ identifier: "RenewOperator" })

/** Body of `POST /operators/dismiss`. */
export const OperatorNamed = Schema.Struct({ $schema: SchemaLink, name, reason: Reason }).annotate({
  identifier: "OperatorNamed"
})

export const AppointmentsGroup = HttpApiGroup.make("appointments")
  .add(
    HttpApiEndpoint.get("list", "/operators", { success: OperatorList, error: ServiceUnavailable }).annotateMerge(
      operation(
        "List operators",
        "Returns the first admin, and the current and former operators, with their roles and the expiry of their tokens."
      )
    ),
    HttpApiEndpoint.post("appoint", "/operators", {
      payload: AppointOperator,
      success: AppointedOperator.pipe(HttpApiSchema.status(201)),
      error: [Conflict, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Appoint an operator",
        "Creates an operator and returns the bearer token, which is never shown again. Refused with 409 if a current or former operator has the name, or if the name is that of the first admin."
      )
    ),
    HttpApiEndpoint.post("renew", "/operators/renew", {
      payload: RenewOperator,
      success: AppointedOperator,
      error: [Forbidden, NotFound, ServiceUnavailable]
    })
      .annotateMerge(
        operation(
          "Renew a token",
          "Returns a new token of an operator, which is never shown again. The former token and its sessions end at " +
            "once. Every operator can renew their own token. Refused with 403 for another operator's token or a " +
            "change of the second factor without the role `admin`, and with 404 for an unknown operator and for the first admin."
        )
      )
      .annotate(NeededRole, "viewer"),
    HttpApiEndpoint.post("dismiss", "/operators/dismiss", {
      payload: OperatorNamed,
      success: HttpApiSchema.NoContent,
      error: [NotFound, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Dismiss an operator",
        "Revokes the token and the sessions of an operator immediately. Refused with 404 for an unknown operator."
      )
    )
  )
  .middleware(OperatorOnly)

interface Listed {
  readonly name: string
  readonly roles: ReadonlyArray<OperatorRole>
  readonly createdAtMillis: number
  readonly expiresAtMillis: number | null
  readonly removedAtMillis: number | null
  readonly needsFactor: boolean
  readonly hasFactor: boolean
}

const moment = (millis: number | null): string | null => (millis === null ? null : instant(millis))

const factorOf = ({ hasFactor, needsFactor }: Listed): typeof FactorState.Type =>
  !needsFactor ? "none" : hasFactor ? "enrolled" : "required"

/** Converts an operator to its wire format. */
export const operatorBody = (operator: Listed): OperatorBody => ({
  name: operator.name,
  kind: "appointed",
  roles: operator.roles,
  second_factor: factorOf(operator),
  created_at: moment(operator.createdAtMillis),
  expires_at: moment(operator.expiresAtMillis),
  removed_at: moment(operator.removedAtMillis)
})

/** The owner of the token in the venue's settings. */
export const firstAdmin: OperatorBody = {
  name: firstOperator,
  kind: "first-admin",
  roles: ["admin"],
  second_factor: "none",
  created_at: null,
  expires_at: null,
  removed_at: null
}

/** Converts an operator with a new token to its wire format. */
export const appointedOperator = (operator: Listed, token: Redacted.Redacted): typeof AppointedOperator.Type => ({
  name: operator.name,
  roles: operator.roles,
  second_factor: factorOf(operator),
  expires_at: instant(operator.expiresAtMillis ?? Infinity),
  token: Redacted.value(token)
})
