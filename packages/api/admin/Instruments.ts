/** Contracts that the venue lists, and those that it lists from its next start on (rule 1.8). */
import { decimalOfUnits } from "@venue/domain/Decimal"
import { limitsOf } from "@venue/domain/Limits"
import { type Instrument, ProductCategory, priceOf, quantityOf } from "@venue/domain/Instrument"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { NumberOrText, RowCount, SchemaLink, SymbolName } from "../Body.ts"
import { Conflict, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"

const Amount = NumberOrText(Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(10_000_000_000)))

const terms = {
  /** It is quoted in USD, so that `BA` is listed as `BA-USD`. */
  base_asset: Schema.String,
  /** Hours, bands, position limits and fees follow it. */
  product_category: ProductCategory
}

/** Tick and lot are for ever, since every record counts in them. */
export const ListInstrument = Schema.Struct({
  $schema: SchemaLink,
  ...terms,
  tick_size: Amount,
  lot_size: Amount,
  min_quantity: Amount,
  max_quantity: Amount,
  default_max_leverage: NumberOrText(Schema.Int),
  reason: Reason
}).annotate({ identifier: "ListInstrument" })

export const ListedInstrument = Schema.Struct({
  symbol: SymbolName,
  clob_pair_id: Schema.Int,
  ...terms,
  tick_size: Schema.Finite,
  lot_size: Schema.Finite,
  /** These four are the limits in force. */
  min_quantity: Schema.Finite,
  max_quantity: Schema.Finite,
  position_limit: Schema.Finite,
  open_interest_limit: Schema.Finite,
  default_max_leverage: Schema.Int,
  /** Not before the next start, where it is listed since. */
  in_force: Schema.Boolean
}).annotate({ identifier: "ListedInstrument" })

export const ListedInstruments = Schema.Struct({
  data: Schema.Array(ListedInstrument),
  count: RowCount
}).annotate({ identifier: "ListedInstruments" })

export const InstrumentsGroup = HttpApiGroup.make("instruments")
  .add(
    HttpApiEndpoint.get("list", "/instruments", { success: ListedInstruments, error: ServiceUnavailable }),
    HttpApiEndpoint.post("add", "/instruments", {
      payload: ListInstrument,
      success: ListedInstrument,
      error: [Conflict, ServiceUnavailable]
    })
  )
  .middleware(OperatorOnly)

export const listedInstrument = (instrument: Instrument, in_force: boolean): typeof ListedInstrument.Type => {
  const { openInterestUsd, positionUsd } = limitsOf(instrument)
  return {
    symbol: instrument.symbol,
    clob_pair_id: instrument.clobPairId,
    base_asset: instrument.base,
    product_category: instrument.category,
    tick_size: priceOf(instrument, 1),
    lot_size: decimalOfUnits(instrument.lotE8),
    min_quantity: quantityOf(instrument, instrument.minQuantityLots),
    max_quantity: quantityOf(instrument, instrument.maxQuantityLots),
    position_limit: positionUsd,
    open_interest_limit: openInterestUsd,
    default_max_leverage: instrument.maxLeverage,
    in_force
  }
}
