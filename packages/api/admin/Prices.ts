/** External prices: the current prices, prices set by an operator, and pausing of price sources. */
import type { Priced } from "@venue/domain/Market"
import { decimalOfUnits } from "@venue/domain/Decimal"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Moment, NumberOrText, RowCount, SchemaLink, SymbolName } from "../Body.ts"
import { instant } from "../Digits.ts"
import { Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"
import { operation } from "../Operation.ts"

/** Sets the external price of a market, in USD. */
export const SetPrice = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  price: NumberOrText(Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(10_000_000))).annotate({
    description: "External price of the underlier, in USD per base unit; above 0, at most 10,000,000.",
    examples: [3410.87]
  }),
  /** Required if the price is below 50 % or above 150 % of the current price (rule 3.6). */
  confirm: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Must be true if the price is below 50 % or above 150 % of the current oracle price. Default: false."
    })
  ),
  reason: Schema.optionalKey(Reason.annotate({ description: "Reason for the audit log.", examples: ["source outage"] }))
}).annotate({ identifier: "SetPrice" })

/** Response body of `POST /prices`. */
export const PriceSet = Schema.Struct({
  symbol: SymbolName,
  price: Schema.Finite.annotate({ description: "External price that was set, in USD per base unit." })
}).annotate({
  identifier: "PriceSet"
})

/** Body of `POST /prices/pause` and `POST /prices/resume`. */
export const SymbolNamed = Schema.Struct({ $schema: SchemaLink, symbol: SymbolName, reason: Reason }).annotate({
  identifier: "SymbolNamed"
})

/** Current price of one market. */
export const PriceInForce = Schema.Struct({
  symbol: SymbolName,
  /**
   * `internal` and `stale` prices are derived from the book: `internal` outside market hours, and `stale` during
   * market hours (rule 3.4, rule 3.5).
   */
  source: Schema.Literals(["external", "internal", "operator", "stale"]).annotate({
    description:
      "Origin of the oracle price: `external` for price sources, `operator` for an operator, `internal` for the " +
      "order book outside market hours, `stale` for the order book during market hours."
  }),
  price: Schema.Finite.annotate({ description: "Current oracle price, in USD per base unit." }),
  mark: Schema.Finite.annotate({ description: "Mark price, in USD per base unit." }),
  told_price: Schema.Finite.annotate({
    description: "Last accepted price from a price source or an operator, in USD per base unit."
  }),
  told_at: Moment.annotate({
    description:
      "Time at which the price in `told_price` was quoted (or received, if it has no quote time), ISO 8601 in UTC."
  }),
  rejections: Schema.Int.annotate({
    description: "Number of consecutive prices that were rejected as implausible, counted up to 3."
  }),
  paused: Schema.Boolean.annotate({ description: "Whether the price sources are paused." })
}).annotate({ identifier: "PriceInForce", description: "Current prices of one market." })

/** Current prices; markets without a price are omitted. */
export const PriceList = Schema.Struct({
  data: Schema.Array(PriceInForce).annotate({
    description: "Current prices, one entry for each market; markets without a price are omitted."
  }),
  count: RowCount
}).annotate({
  identifier: "PriceList"
})

const deciding = { error: [NotFound, Conflict, ServiceUnavailable, GatewayTimeout] } as const

export const PricesGroup = HttpApiGroup.make("prices")
  .add(
    HttpApiEndpoint.get("list", "/prices", { success: PriceList }).annotateMerge(
      operation(
        "List current prices",
        "Returns the oracle price, the origin of the oracle price, and the mark price of every market with a price."
      )
    ),
    HttpApiEndpoint.post("set", "/prices", { payload: SetPrice, success: PriceSet, ...deciding }).annotateMerge(
      operation(
        "Set an external price",
        "Sets the external price of a market immediately. Refused with 404 for an unknown symbol, with 409 for a " +
          "delisted market, and with 422 if the price is below 50 % or above 150 % of the current oracle price and " +
          "`confirm` is not true."
      )
    ),
    // The market keeps its current price, which becomes stale unless an operator set it.
    HttpApiEndpoint.post("pause", "/prices/pause", {
      payload: SymbolNamed,
      success: HttpApiSchema.NoContent,
      ...deciding
    }).annotateMerge(
      operation(
        "Pause price sources",
        "Ignores the price sources of a market until they are resumed. The current price stays in use and " +
          "becomes stale unless an operator set it. Refused with 404 for an unknown symbol."
      )
    ),
    HttpApiEndpoint.post("resume", "/prices/resume", {
      payload: SymbolNamed,
      success: HttpApiSchema.NoContent,
      ...deciding
    }).annotateMerge(
      operation(
        "Resume price sources",
        "Accepts prices from the price sources of a market again. Refused with 404 for an unknown symbol."
      )
    )
  )
  .middleware(OperatorOnly)

/** Converts the current price to its wire format. */
export const priceInForce = (symbol: string, priced: Priced): typeof PriceInForce.Type => ({
  symbol,
  source: priced.source,
  price: decimalOfUnits(priced.oracleE8),
  mark: decimalOfUnits(priced.markE8),
  told_price: decimalOfUnits(priced.toldE8),
  told_at: instant(priced.toldAtMillis),
  rejections: priced.rejections,
  paused: priced.paused
})
