/** Recovery of a venue whose database lacks rows that a witness has seen, as after a restore of an older backup (I57). */
import { RecoveryState } from "@venue/domain/Recovery"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Moment, RowCount, SchemaLink } from "../Body.ts"
import { described, Optional, WholeNumber } from "../Parameter.ts"
import { Conflict, ServiceUnavailable } from "../Problem.ts"
import { NeededRole, OperatorOnly, Reason } from "./Operator.ts"
import { operation } from "../Operation.ts"

/** Missing rows of one stream of the journal. */
const LostStream = Schema.Struct({
  stream: Schema.String.annotate({
    description: "Stream of the journal: `market/` and a symbol, or `trader/` and a user id."
  }),
  database_row: Schema.Int.annotate({
    description: "Newest row in the database when the loss was found; 0 without rows."
  }),
  witnessed_row: Schema.Int.annotate({ description: "Newest row that a witness has seen." }),
  first_missing: Schema.Int.annotate({
    description: "First row that is certainly missing. It is the witnessed row if other rows have taken the numbers."
  }),
  missing: Schema.Int.annotate({ description: "Number of rows that are certainly missing." })
})

const Decided = Schema.Struct({
  operator: Schema.String.annotate({ description: "Name of the operator who accepted the loss." }),
  reason: Schema.String.annotate({ description: "Reason given by the operator." }),
  at: Moment.annotate({ description: "Time of the decision, ISO 8601 in UTC." })
})

/** State of the recovery, with a page of the streams that lack rows. */
export const Recovery = Schema.Struct({
  state: Schema.Literals(["NONE", ...RecoveryState.literals]).annotate({
    description:
      "`NONE`: no row is missing. `OPEN`: operators decide. `ACCEPTED`: credentials end and the numbers of lost rows are " +
      "skipped. `CANCELLING`: resting orders are cancelled."
  }),
  found_at: Schema.NullOr(Moment).annotate({
    description: "Time of the finding, ISO 8601 in UTC; null in state `NONE`."
  }),
  found_by: Schema.NullOr(Schema.String).annotate({
    description: "Name of the node whose witness showed the loss first; null in state `NONE`."
  }),
  streams: Schema.Int.annotate({ description: "Number of streams that lack rows." }),
  missing_rows: Schema.Int.annotate({ description: "Number of rows that are certainly missing in all streams." }),
  restrictions: Schema.Int.annotate({
    description: "Number of freezes and key revocations that the database lacks and the recovery applies again."
  }),
  decisions: Schema.Array(Decided).annotate({ description: "Decisions to accept the loss, oldest first." }),
  people_needed: Schema.Int.annotate({ description: "Number of operators who must accept the loss." }),
  data: Schema.Array(LostStream).annotate({ description: "Page of the streams that lack rows, ordered by name." }),
  count: RowCount
}).annotate({ identifier: "Recovery" })

/** Body of `POST /recovery`. */
export const DecideRecovery = Schema.Struct({
  $schema: SchemaLink,
  decision: Schema.Literals(["accept_loss"]).annotate({
    description:
      "`accept_loss`: the venue goes on without the missing rows. To restore another backup, stop all nodes instead."
  }),
  reason: Reason
}).annotate({ identifier: "DecideRecovery" })

/** Response body of `POST /recovery`. */
export const RecoveryDecided = Schema.Struct({
  is_decided: Schema.Boolean.annotate({ description: "Whether enough operators have accepted the loss." }),
  people: Schema.Array(Schema.String).annotate({ description: "Names of the operators who have accepted the loss." }),
  people_needed: Schema.Int.annotate({ description: "Number of operators who must accept the loss." })
}).annotate({ identifier: "RecoveryDecided" })

/** Page of a request without `limit` or `offset`. */
export const listDefaults = { limit: 100, offset: 0 } as const

const limits = { minimum: 1, maximum: 1_000 }
const offsets = { minimum: 0, maximum: 1_000_000 }

const listParameters = {
  limit: {
    type: "integer",
    ...limits,
    default: listDefaults.limit,
    description: "Maximum number of streams to return."
  },
  offset: {
    type: "integer",
    ...offsets,
    default: listDefaults.offset,
    description: "Number of streams to skip, in the order of their names."
  }
}

export const RecoveryGroup = HttpApiGroup.make("recovery")
  .add(
    HttpApiEndpoint.get("show", "/recovery", {
      query: { limit: Optional(WholeNumber(limits)), offset: Optional(WholeNumber(offsets)) },
      success: Recovery,
      error: ServiceUnavailable
    })
      .annotate(OpenApi.Transform, described(listParameters))
      .annotateMerge(
        operation(
          "Get the recovery",
          "Returns the streams of the journal that lack rows which a witness outside the database has seen."
        )
      ),
    HttpApiEndpoint.post("decide", "/recovery", {
      payload: DecideRecovery,
      success: RecoveryDecided,
      error: [Conflict, ServiceUnavailable]
    })
      .annotateMerge(
        operation(
          "Accept the loss of rows",
          "Accepts that the venue goes on without the missing rows. Needs two operators with the role treasurer who were " +
            "appointed before the finding. Then all sessions end, lost freezes and key revocations are applied again, the " +
            "numbers of lost rows are skipped, and all resting orders are cancelled. The venue stays halted. Refused with " +
            "409 if no decision is open."
        )
      )
      .annotate(NeededRole, "treasurer")
  )
  .middleware(OperatorOnly)
