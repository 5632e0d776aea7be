/** Contracts that are listed, or will be listed at the venue's next start (rule 1.8). */
import { decimalOfUnits } from "@venue/domain/Decimal"
import { limitsOf } from "@venue/domain/Limits"
import { type Instrument, ProductCategory, priceOf, quantityOf } from "@venue/domain/Instrument"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { NumberOrText, RowCount, SchemaLink, SymbolName } from "../Body.ts"
import { Conflict, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"
import { operation } from "../Operation.ts"

const Amount = (description: string, example: number) =>
  NumberOrText(Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(10_000_000_000))).annotate({
    description,
    examples: [example]
  })

const terms = {
  base_asset: Schema.String.annotate({
    description: "Asset tracked by the contract: one base unit is one unit of the asset. `BA` is listed as `BA-USD`.",
    examples: ["BA"]
  }),
  product_category: ProductCategory.annotate({
    description: "Class of the underlier, which determines market hours, price bands, limits and fees."
  })
}

/** Lists a contract. Its tick and lot size can never change, because every record counts in ticks and lots. */
export const ListInstrument = Schema.Struct({
  $schema: SchemaLink,
  ...terms,
  tick_size: Amount("Price step (tick size), in USD per base unit. It never changes.", 0.01),
  lot_size: Amount("Quantity step (lot size), in base units. It never changes.", 0.01),
  min_quantity: Amount("Smallest quantity of an order, in base units.", 0.01),
  max_quantity: Amount("Largest quantity of an order, in base units.", 5000),
  default_max_leverage: NumberOrText(Schema.Int).annotate({
    description: "Highest leverage of the contract: the notional divided by the margin.",
    examples: [20]
  }),
  reason: Reason
}).annotate({ identifier: "ListInstrument" })

/** Contract that the venue lists. */
export const ListedInstrument = Schema.Struct({
  symbol: SymbolName,
  clob_pair_id: Schema.Int.annotate({ description: "Number of the order book." }),
  ...terms,
  tick_size: Schema.Finite.annotate({ description: "Price step (tick size), in USD per base unit." }),
  lot_size: Schema.Finite.annotate({ description: "Quantity step (lot size), in base units." }),
  min_quantity: Schema.Finite.annotate({ description: "Current smallest quantity of an order, in base units." }),
  max_quantity: Schema.Finite.annotate({ description: "Current largest quantity of an order, in base units." }),
  position_limit: Schema.Finite.annotate({ description: "Current position limit at the highest leverage, in USD." }),
  open_interest_limit: Schema.Finite.annotate({ description: "Current open-interest limit, in USD." }),
  default_max_leverage: Schema.Int.annotate({
    description: "Highest leverage of the contract: the notional divided by the margin."
  }),
  in_force: Schema.Boolean.annotate({
    description: "Whether every node trades the contract. A new contract is in force within seconds, without a restart."
  })
}).annotate({ identifier: "ListedInstrument", description: "Contract listed by the venue." })

/** Response body of `GET /instruments`. */
export const ListedInstruments = Schema.Struct({
  data: Schema.Array(ListedInstrument).annotate({
    description: "Listed contracts, including new contracts that are not in force yet."
  }),
  count: RowCount
}).annotate({ identifier: "ListedInstruments" })

export const InstrumentsGroup = HttpApiGroup.make("instruments")
  .add(
    HttpApiEndpoint.get("list", "/instruments", {
      success: ListedInstruments,
      error: ServiceUnavailable
    }).annotateMerge(
      operation("List contracts", "Returns the listed contracts, including new contracts that are not in force yet.")
    ),
    HttpApiEndpoint.post("add", "/instruments", {
      payload: ListInstrument,
      success: ListedInstrument,
      error: [Conflict, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "List a contract",
        "Adds a contract, which is in force on all nodes within seconds and trades once it has a price. While a node of " +
          "an older release runs, the contract waits for it. Refused with 409 if the symbol is already " +
          "listed with other terms, and with 422 for terms that are invalid or contradict each other."
      )
    )
  )
  .middleware(OperatorOnly)

/** Converts a contract to its wire format. */
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
