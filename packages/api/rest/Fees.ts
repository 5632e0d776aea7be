/** `GET /user/fees`: a user's current fee rates. `GET /fees`: fee rates of the base tier. */
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

/** Fee rates in one market, in 1e-8 of the notional. */
export const FeeEntry = Schema.Struct({
  $schema: SchemaLink,
  maker_fee: Schema.Int.annotate({
    description: "Maker fee rate, in units of 1e-8 of the notional; 10000 is 1 basis point. Negative for a rebate."
  }),
  taker_fee: Schema.Int.annotate({
    description: "Taker fee rate, in units of 1e-8 of the notional; 10000 is 1 basis point."
  })
}).annotate({ identifier: "FeeEntry", description: "Fee rates in one market." })
export type FeeEntry = typeof FeeEntry.Type

/** Response body of `GET /user/fees`. */
export const FeesResponseBody = Schema.Struct({
  $schema: SchemaLink,
  fees: Schema.Record(Schema.String, FeeEntry).annotate({ description: "Fee rates by symbol." })
}).annotate({ identifier: "FeesResponseBody" })

export const FeesGroup = HttpApiGroup.make("fees")
  .add(
    HttpApiEndpoint.get("fees", "/user/fees", { success: FeesResponseBody, error: ServiceUnavailable }).annotateMerge(
      operation(
        "List fee rates",
        "Returns the user's maker and taker fee rates in each market, at the user's fee tier of the current day."
      )
    )
  )
  .middleware(Authenticated)

/** Fee rates of the base tier in one market, as fractions of the notional. */
export const BaseFee = Schema.Struct({
  $schema: SchemaLink,
  maker_fee: Member.fraction("Maker fee rate", " of the notional; negative for a rebate"),
  taker_fee: Member.fraction("Taker fee rate", " of the notional")
}).annotate({ identifier: "BaseFee" })

/** Response body of `GET /fees`. */
export const BaseFeesResponseBody = Schema.Struct({
  $schema: SchemaLink,
  fees: Schema.Record(Schema.String, BaseFee).annotate({ description: "Fee rates of the base tier, by symbol." })
}).annotate({ identifier: "BaseFeesResponseBody" })

export const BaseFeesGroup = HttpApiGroup.make("baseFees").add(
  HttpApiEndpoint.get("baseFees", "/fees", {
    success: HttpApiSchema.WithHeaders(BaseFeesResponseBody, { "cache-control": CacheControl })
  }).annotateMerge(
    OpenApi.annotations({
      summary: "List fee rates of the base tier",
      description:
        "Returns the maker and taker fee rates of each active symbol for a user without trading volume, as fractions of the " +
        "notional (0.001 is 10 basis points). `GET /user/fees` returns the caller's rates. This operation is specific to this venue."
    })
  )
)

/** Returns the fee rates of the base tier, which applies to users without volume. */
export const baseFeesOf = (instruments: ReadonlyArray<Instrument>): Record<string, typeof BaseFee.Type> =>
  Object.fromEntries(
    instruments.map((instrument) => {
      const { maker, taker } = ratesOf(instrument, firstTier)
      return [instrument.symbol, { maker_fee: maker / rateScale, taker_fee: taker / rateScale }]
    })
  )

/** Returns the fee rates of a tier. */
export const feesOf = (instruments: ReadonlyArray<Instrument>, tier: number): Record<string, FeeEntry> =>
  Object.fromEntries(instruments.map((instrument) => [instrument.symbol, entryOf(ratesOf(instrument, tier))]))

const entryOf = ({ maker, taker }: FeeRates): FeeEntry => ({ maker_fee: maker, taker_fee: taker })
