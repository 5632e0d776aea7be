/** `GET /audit`: the audit log. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { SchemaLink } from "../Body.ts"
import { instant, text } from "../Member.ts"
import { operation } from "../Operation.ts"
import { described, Optional } from "../Parameter.ts"
import { BadRequest, ServiceUnavailable } from "../Problem.ts"
import { ListCount, listParameters, rangeQuery } from "../rest/ListPage.ts"
import { pageParameters, pageQuery } from "../treasury/TreasuryPage.ts"
import { OperatorOnly } from "./Operator.ts"

/** Entry of the audit log. */
export const AuditEntry = Schema.Struct({
  at: instant("Time of the action"),
  action: text("Action: a verb in the past tense, such as `user_frozen`"),
  actor: text("Name of the operator or id of the user who acted"),
  subject: text("Id of the user, or name of the operator, contract or application, that the action is about"),
  facts: Schema.Record(
    Schema.String,
    Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Null])
  ).annotate({ description: "Details of the action, such as the operator's reason; never a secret." })
}).annotate({ identifier: "AuditEntry", description: "Entry of the audit log, which is never changed." })

/** Response body of `GET /audit`. */
export const AuditEntries = Schema.Struct({
  $schema: SchemaLink,
  data: Schema.Array(AuditEntry).annotate({ description: "Entries that match every filter, newest first." }),
  count: ListCount
}).annotate({ identifier: "AuditEntries" })

const filters = {
  action: { type: "string", description: "Include only this action. Default: all actions.", examples: ["user_frozen"] },
  actor: {
    type: "string",
    description: "Include only actions of this operator or user id. Default: all operators and users.",
    examples: ["alice"]
  },
  subject: {
    type: "string",
    description: "Include only actions about this user id or name. Default: all subjects.",
    examples: ["3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"]
  },
  start: listParameters.start,
  end: listParameters.end,
  ...pageParameters
}

export const AuditGroup = HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("list", "/audit", {
      query: {
        action: Optional(Schema.String),
        actor: Optional(Schema.String),
        subject: Optional(Schema.String),
        ...rangeQuery,
        ...pageQuery
      },
      success: AuditEntries,
      error: [BadRequest, ServiceUnavailable]
    })
      .annotateMerge(
        operation(
          "List the audit log",
          "Returns actions of operators and users that match every filter, newest first. This request is itself " +
            "recorded. Refused with 400 for an offset that is too large or a start after the end."
        )
      )
      .annotate(OpenApi.Transform, described(filters))
  )
  .middleware(OperatorOnly)
