/** Splits of underliers, which an operator carries out while the symbol is halted (rule 19.2). */
import { mostUnits } from "@venue/domain/Split"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Day, NumberOrText, SchemaLink, SymbolName } from "../Body.ts"
import { Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"

const Units = NumberOrText(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: mostUnits })))

/** In place of `denominator` old units there are `numerator` new ones: 4 and 1 of a split 4:1. */
export const SplitContract = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  numerator: Units,
  denominator: Units,
  /** From this day on the underlier is traded in new units. */
  ex_date: Day,
  reason: Reason
}).annotate({ identifier: "SplitContract" })

export const SplitTaken = Schema.Struct({
  symbol: SymbolName,
  numerator: Schema.Int,
  denominator: Schema.Int,
  ex_date: Schema.String
}).annotate({ identifier: "SplitTaken" })

export const SplitsGroup = HttpApiGroup.make("splits")
  .add(
    HttpApiEndpoint.post("split", "/splits", {
      payload: SplitContract,
      success: SplitTaken,
      error: [NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    })
  )
  .middleware(OperatorOnly)
