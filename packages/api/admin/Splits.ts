/** Contract splits, which an operator performs while the symbol is halted (rule 19.2). */
import { maxUnits } from "@venue/domain/Split"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Day, NumberOrText, SchemaLink, SymbolName } from "../Body.ts"
import { Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"
import { operation } from "../Operation.ts"

const Units = NumberOrText(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxUnits })))

/** Replaces `denominator` old units with `numerator` new units; a 4:1 split has numerator 4 and denominator 1. */
export const SplitContract = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  numerator: Units.annotate({
    description: "Number of new units for every `denominator` old units; 1 to 1,000.",
    examples: [4]
  }),
  denominator: Units.annotate({
    description: "Number of old units replaced by `numerator` new units; 1 to 1,000.",
    examples: [1]
  }),
  ex_date: Day.annotate({
    description: "First day on which the underlier trades in new units; today or an earlier day, in UTC.",
    examples: ["2026-11-26"]
  }),
  reason: Reason
}).annotate({ identifier: "SplitContract" })

/** Response body of `POST /splits`. */
export const SplitTaken = Schema.Struct({
  symbol: SymbolName,
  numerator: Schema.Int.annotate({ description: "Number of new units for every `denominator` old units." }),
  denominator: Schema.Int.annotate({ description: "Number of old units replaced by `numerator` new units." }),
  ex_date: Schema.String.annotate({ description: "First day on which the underlier trades in new units." })
}).annotate({ identifier: "SplitTaken" })

export const SplitsGroup = HttpApiGroup.make("splits")
  .add(
    HttpApiEndpoint.post("split", "/splits", {
      payload: SplitContract,
      success: SplitTaken,
      error: [NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation(
        "Split a contract",
        "Converts the positions and prices of a halted market to new units and cancels its open orders. " +
          "Refused with 404 for an unknown symbol, with 422 if the underlier is not a stock, and with 409 if the " +
          "market is not halted, if its reserve fund cannot pay for fractions of lots, or if a split for the same or " +
          "a later day was already made."
      )
    )
  )
  .middleware(OperatorOnly)
