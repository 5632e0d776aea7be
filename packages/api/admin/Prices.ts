/** Outside prices: what each symbol has in force, the operator's own word, and whether its sources are heard. */
import type { Priced } from "@venue/domain/Market"
import { decimalOfUnits } from "@venue/domain/Decimal"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Moment, NumberOrText, RowCount, SchemaLink, SymbolName } from "../Body.ts"
import { instant } from "../Digits.ts"
import { Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"

/** From this moment on the symbol has this outside price, in USD. */
export const SetPrice = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  price: NumberOrText(Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(10_000_000))),
  /** It is needed beyond half to one and a half of the price in force (rule 3.6). */
  confirm: Schema.optionalKey(Schema.Boolean),
  reason: Schema.optionalKey(Reason)
}).annotate({ identifier: "SetPrice" })

export const PriceSet = Schema.Struct({ symbol: SymbolName, price: Schema.Finite }).annotate({
  identifier: "PriceSet"
})

export const SymbolNamed = Schema.Struct({ $schema: SchemaLink, symbol: SymbolName, reason: Reason }).annotate({
  identifier: "SymbolNamed"
})

export const PriceInForce = Schema.Struct({
  symbol: SymbolName,
  /** `internal` outside hours and `stale` inside them: the book makes the price (rule 3.4, rule 3.5). */
  source: Schema.Literals(["external", "internal", "operator", "stale"]),
  price: Schema.Finite,
  mark: Schema.Finite,
  /** The sources or the operator said this last. */
  told_price: Schema.Finite,
  told_at: Moment,
  /** So many prices in a row were not believed, counted up to three. */
  rejections: Schema.Int,
  paused: Schema.Boolean
}).annotate({ identifier: "PriceInForce" })

/** Symbols without a price are left out. */
export const PriceList = Schema.Struct({ data: Schema.Array(PriceInForce), count: RowCount }).annotate({
  identifier: "PriceList"
})

const deciding = { error: [NotFound, Conflict, ServiceUnavailable, GatewayTimeout] } as const

export const PricesGroup = HttpApiGroup.make("prices")
  .add(
    HttpApiEndpoint.get("list", "/prices", { success: PriceList }),
    HttpApiEndpoint.post("set", "/prices", { payload: SetPrice, success: PriceSet, ...deciding }),
    // The price stays as it is, and turns stale unless it is the operator's.
    HttpApiEndpoint.post("pause", "/prices/pause", {
      payload: SymbolNamed,
      success: HttpApiSchema.NoContent,
      ...deciding
    }),
    HttpApiEndpoint.post("resume", "/prices/resume", {
      payload: SymbolNamed,
      success: HttpApiSchema.NoContent,
      ...deciding
    })
  )
  .middleware(OperatorOnly)

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
