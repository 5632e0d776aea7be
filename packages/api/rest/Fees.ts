/** `GET /user/fees`: what a user pays for trades now. */
import { type FeeRates, ratesOf } from "@venue/domain/Fee"
import type { Instrument } from "@venue/domain/Instrument"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { SchemaLink } from "../Body.ts"
import { ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"

/** In 1e-8 of notional, which is 1e-6 percent; a rebate is negative. */
export const FeeEntry = Schema.Struct({
  $schema: SchemaLink,
  maker_fee: Schema.Int,
  taker_fee: Schema.Int
}).annotate({ identifier: "FeeEntry" })
export type FeeEntry = typeof FeeEntry.Type

export const FeesResponseBody = Schema.Struct({
  $schema: SchemaLink,
  /** By symbol. */
  fees: Schema.Record(Schema.String, FeeEntry)
}).annotate({ identifier: "FeesResponseBody" })

export const FeesGroup = HttpApiGroup.make("fees")
  .add(HttpApiEndpoint.get("fees", "/user/fees", { success: FeesResponseBody, error: ServiceUnavailable }))
  .middleware(Authenticated)

export const feesOf = (instruments: ReadonlyArray<Instrument>, tier: number): Record<string, FeeEntry> =>
  Object.fromEntries(instruments.map((instrument) => [instrument.symbol, entryOf(ratesOf(instrument, tier))]))

const entryOf = ({ maker, taker }: FeeRates): FeeEntry => ({ maker_fee: maker, taker_fee: taker })
