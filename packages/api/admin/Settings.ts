/** Settings of the venue: how each one changes, its value, and changes while the venue runs. */
import * as Text from "@venue/domain/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Moment, RowCount, SchemaLink } from "../Body.ts"
import { Conflict, ServiceUnavailable } from "../Problem.ts"
import { operation } from "../Operation.ts"
import { described, Optional, WholeNumber } from "../Parameter.ts"
import { OperatorOnly, Reason } from "./Operator.ts"

const Name = Schema.String.annotate({
  description: "Name of the setting, which is also its environment variable.",
  examples: ["VENUE_TERMS_VERSION"]
})
const Fingerprint = Schema.NullOr(Schema.String).annotate({
  description: "Fingerprint that distinguishes the values of a secret; null for other settings and unset secrets."
})
const Value = Schema.NullOr(Schema.String).annotate({
  description: "Value, in the form of the environment variable; null for secrets, which are never returned."
})

/** How a setting changes. */
export const SettingClass = Schema.Literals(["first-start", "equal", "process", "running"])

/** Setting with its value on the gateway that responds. */
export const Setting = Schema.Struct({
  name: Name,
  class: SettingClass.annotate({
    description:
      "`first-start`: fixed at the venue's first start; `equal`: equal on the nodes that read it, changed with all of " +
      "them stopped; `process`: of each process, changed by its restart; `running`: changed by `PUT /settings`."
  }),
  source: Schema.Literals(["default", "environment", "table"]).annotate({
    description:
      "Origin of the value: the default, the environment, or an operator's change. Initial values of running settings are from the environment."
  }),
  value: Value,
  is_secret: Schema.Boolean.annotate({ description: "Whether the setting is a secret." }),
  is_set: Schema.Boolean.annotate({ description: "Whether the value is not empty." }),
  fingerprint: Fingerprint,
  changed_by: Schema.NullOr(Schema.String).annotate({
    description: "Operator who made the last change, or `environment`; null for a setting outside the table."
  }),
  changed_at: Schema.NullOr(Moment).annotate({
    description: "Time of the last change, ISO 8601 in UTC; null for a setting outside the table."
  })
}).annotate({ identifier: "Setting", description: "Setting with its value." })

const Version = Schema.Int.annotate({ description: "Number of the newest change; 0 before the first." })

/** Change that waits for a second operator. */
export const RequestedChange = Schema.Struct({
  operator: Schema.String.annotate({ description: "Operator who requested the change." }),
  values: Schema.Record(Schema.String, Schema.String).annotate({
    description: "New values by name; for a secret, the fingerprint of the new value."
  }),
  reason: Schema.String.annotate({ description: "Reason for the change." }),
  requested_at: Moment.annotate({ description: "Time of the request, ISO 8601 in UTC." })
}).annotate({ identifier: "RequestedChange", description: "Change that waits for a second operator." })

/** Response body of `GET /settings`. */
export const Settings = Schema.Struct({
  version: Version,
  requested: Schema.Array(RequestedChange).annotate({
    description: "Changes that wait for a second operator, oldest first. Any change of settings ends them."
  }),
  data: Schema.Array(Setting).annotate({ description: "Settings, ordered by name." }),
  count: RowCount
}).annotate({ identifier: "Settings" })

/** Response body of `PUT /settings`. */
export const SettingsDecided = Schema.Struct({
  ...Settings.fields,
  is_decided: Schema.Boolean.annotate({
    description: "Whether the values are changed. If false, another operator must send the same change."
  }),
  people: Schema.Array(Schema.String).annotate({ description: "Names of the operators who sent this change." }),
  people_needed: Schema.Int.annotate({ description: "Number of operators who must send this change." })
}).annotate({ identifier: "SettingsDecided" })

/** Body of `PUT /settings`. */
export const ChangeSettings = Schema.Struct({
  $schema: SchemaLink,
  version: Schema.Int.annotate({
    description: "Version that `GET /settings` returned. A later change by another operator is a conflict.",
    examples: [12]
  }),
  values: Schema.Record(Schema.String, Schema.String.check(Text.atMost(100_000))).annotate({
    description:
      "New values by name, each in the form of its environment variable; an empty secret is unset. For " +
      "`VENUE_PRICE_SOURCES`: the contents of the file.",
    examples: [{ VENUE_TERMS_VERSION: "2026-12" }]
  }),
  reason: Reason
}).annotate({ identifier: "ChangeSettings" })

/** Change of one setting. */
export const SettingChange = Schema.Struct({
  number: Schema.Int.annotate({ description: "Number of the change." }),
  name: Name,
  value: Value,
  fingerprint: Fingerprint,
  changed_by: Schema.String.annotate({ description: "Operator who made the change, or `environment`." }),
  changed_at: Moment.annotate({ description: "Time of the change, ISO 8601 in UTC." }),
  reason: Schema.String.annotate({ description: "Reason for the change." })
}).annotate({ identifier: "SettingChange", description: "Change of one setting." })

/** Response body of `GET /settings/history`. */
export const SettingHistory = Schema.Struct({
  data: Schema.Array(SettingChange).annotate({ description: "Changes, newest first." }),
  count: RowCount
}).annotate({ identifier: "SettingHistory" })

/** Defaults of the list's parameters. */
export const historyDefaults = { limit: 100 } as const

const limits = { minimum: 1, maximum: 1_000 }
const numbers = { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
const historyParameters = {
  limit: {
    type: "integer",
    ...limits,
    default: historyDefaults.limit,
    description: "Maximum number of changes to return."
  },
  before: {
    type: "integer",
    ...numbers,
    example: 101,
    description: "Number of the last change of the previous page. Default: the newest changes."
  }
}

export const SettingsGroup = HttpApiGroup.make("settings")
  .add(
    HttpApiEndpoint.get("list", "/settings", { success: Settings, error: ServiceUnavailable }).annotateMerge(
      operation(
        "List settings",
        "Returns every setting with its class, value and last change. Secrets have only a fingerprint."
      )
    ),
    HttpApiEndpoint.put("change", "/settings", {
      payload: ChangeSettings,
      success: SettingsDecided,
      error: [Conflict, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Change settings",
        "Changes settings of the class `running`, in force on all nodes within a second. All values of a request are " +
          "changed together. Two admins must send the same change if it raises `VENUE_TWO_PEOPLE_ABOVE`, lowers " +
          "`VENUE_NEW_ADDRESS_HOLD_HOURS`, turns `VENUE_SECOND_FACTOR_TO_FUND` off, or replaces `VENUE_ADMIN_TOKEN`, " +
          "which only the first operator can replace alone. Refused with 409 if the settings changed since `version`, " +
          "if the second admin was appointed after the request, or while a node of an older release runs, and with 422 " +
          "for an unknown name or an invalid value."
      )
    ),
    HttpApiEndpoint.get("history", "/settings/history", {
      query: {
        limit: Optional(WholeNumber(limits)),
        before: Optional(WholeNumber(numbers))
      },
      success: SettingHistory,
      error: ServiceUnavailable
    })
      .annotateMerge(operation("List changes of settings", "Returns the changes of running settings, newest first."))
      .annotate(OpenApi.Transform, described(historyParameters))
  )
  .middleware(OperatorOnly)
