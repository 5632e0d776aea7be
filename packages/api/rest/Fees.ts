/** `GET /user/fees`: what a user pays for trades now. `GET /fees`: what a user of the base tier pays. */
import { rateScale } from "@venue/domain/Decimal"
import { type FeeRates, firstTier, ratesOf } from "@venue/domain/Fee"
import type { Instrument } from "@venue/domain/Instrument"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CacheControl, SchemaLink } from "../Body.ts"
import * as Member from "../Member.ts"
import { ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"
import { operation } from "../Operation.ts"

/** In 1e-8 of notional, which is 1e-6 percent; a rebate is negative. */
export const FeeEntry = Schema.Struct({
  $schema: SchemaLink,
  maker_fee: Schema.Int.annotate({
    description: "Fee of a maker, in units of 1e-8 of the notional, which is 1e-6 percent; a rebate is negative."
  }),
  taker_fee: Schema.Int.annotate({
    description: "Fee of a taker, in units of 1e-8 of the notional, which is 1e-6 percent."
  })
}).annotate({ identifier: "FeeEntry", description: "Fee rates in one market." })
export type FeeEntry = typeof FeeEntry.Type

export const FeesResponseBody = Schema.Struct({
  $schema: SchemaLink,
  fees: Schema.Record(Schema.String, FeeEntry).annotate({ description: "Fee rates by symbol." })
}).annotate({ identifier: "FeesResponseBody" })

export const FeesGroup = HttpApiGroup.make("fees")
  .add(
    HttpApiEndpoint.get("fees", "/user/fees", { success: FeesResponseBody, error: ServiceUnavailable }).annotateMerge(
      operation(
        "List fee rates",
        "Returns the maker and taker fee rates of the user in each market, by the tier of the day."
      )
    )
  )
  .middleware(Authenticated)

export const BaseFee = Schema.Struct({
  $schema: SchemaLink,
  maker_fee: Member.fraction("Fee of a maker, of the value of the trade"),
  taker_fee: Member.fraction("Fee of a taker, of the value of the trade")
}).annotate({ identifier: "BaseFee" })

export const BaseFeesResponseBody = Schema.Struct({
  $schema: SchemaLink,
  fees: Schema.Record(Schema.String, BaseFee).annotate({ description: "Fees of the base tier, by symbol." })
}).annotate({ identifier: "BaseFeesResponseBody" })

export const BaseFeesGroup = HttpApiGroup.make("baseFees").add(
  HttpApiEndpoint.get("baseFees", "/fees", {
    success: HttpApiSchema.WithHeaders(BaseFeesResponseBody, { "cache-control": CacheControl })
  }).annotateMerge(
    OpenApi.annotations({
      summary: "Trading fees of the base tier",
      description:
        "Maker and taker fees of each active symbol, as fractions of the value of a trade (0.001 is 10 basis points), for a " +
        "user without trading volume. `GET /user/fees` has those of the caller. An addition of this venue."
    })
  )
)

/** Of the tier that a user without volume is in. */
export const baseFeesOf = (instruments: ReadonlyArray<Instrument>): Record<string, typeof BaseFee.Type> =>
  Object.fromEntries(
    instruments.map((instrument) => {
      const { maker, taker } = ratesOf(instrument, firstTier)
      return [instrument.symbol, { maker_fee: maker / rateScale, taker_fee: taker / rateScale }]
    })
  )

export const feesOf = (instruments: ReadonlyArray<Instrument>, tier: number): Record<string, FeeEntry> =>
  Object.fromEntries(instruments.map((instrument) => [instrument.symbol, entryOf(ratesOf(instrument, tier))]))

const entryOf = ({ maker, taker }: FeeRates): FeeEntry => ({ maker_fee: maker, taker_fee: taker })
