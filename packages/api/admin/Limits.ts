/** Limits of a contract, which an operator changes with immediate effect (rule 1.9). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { NumberOrText, SchemaLink, SymbolName } from "../Body.ts"
import { Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"
import { operation } from "../Operation.ts"

const Amount = NumberOrText(Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(10_000_000_000)))

/** Changes limits; an absent limit is unchanged. */
export const SetLimits = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  min_quantity: Schema.optionalKey(
    Amount.annotate({
      description: "Smallest quantity of an order, in base units. Default: unchanged.",
      examples: [0.01]
    })
  ),
  max_quantity: Schema.optionalKey(
    Amount.annotate({
      description: "Largest quantity of an order, in base units. Default: unchanged.",
      examples: [5000]
    })
  ),
  position_limit: Schema.optionalKey(
    Amount.annotate({
      description: "Position limit at the highest leverage, in whole USD, at most 90,000,000. Default: unchanged.",
      examples: [1000000]
    })
  ),
  open_interest_limit: Schema.optionalKey(
    Amount.annotate({
      description: "Open-interest limit, in whole USD, from `position_limit` to 2,000,000,000. Default: unchanged.",
      examples: [10000000]
    })
  ),
  reason: Reason
}).annotate({ identifier: "SetLimits" })

/** Response body of `POST /instruments/limits`. */
export const LimitsInForce = Schema.Struct({
  symbol: SymbolName,
  min_quantity: Schema.Finite.annotate({ description: "Smallest quantity of an order, in base units." }),
  max_quantity: Schema.Finite.annotate({ description: "Largest quantity of an order, in base units." }),
  position_limit: Schema.Finite.annotate({ description: "Position limit at the highest leverage, in USD." }),
  open_interest_limit: Schema.Finite.annotate({ description: "Open-interest limit, in USD." })
}).annotate({ identifier: "LimitsInForce" })

export const LimitsGroup = HttpApiGroup.make("limits")
  .add(
    HttpApiEndpoint.post("set", "/instruments/limits", {
      payload: SetLimits,
      success: LimitsInForce,
      error: [NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation(
        "Set limits",
        "Changes limits of a contract immediately. Omitted limits stay unchanged. Refused with 404 for an unknown " +
          "symbol, with 409 for a delisted market, and with 422 for limits that are invalid or contradict each other."
      )
    )
  )
  .middleware(OperatorOnly)
