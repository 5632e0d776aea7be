/** Listed symbols, read from the venue's public reference data. */
import { Effect, Schedule, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientResponse } from "effect/http"

/** A symbol's listing. Prices are counted in ticks, and quantities in lots. */
export interface Listing {
  readonly symbol: string
  readonly ticksPerUnit: number
  readonly lotsPerUnit: number
  readonly minLots: number
  readonly maxLots: number
  readonly maxLeverage: number
}

const RefdataSymbol = Schema.Struct({
  symbol: Schema.String,
  status: Schema.String,
  tick_size: Schema.String,
  lot_size: Schema.String,
  min_quantity: Schema.String,
  max_quantity: Schema.String,
  default_max_leverage: Schema.Number
})
const Refdata = Schema.Struct({ data: Schema.NullOr(Schema.Array(RefdataSymbol)) })

/** Reads the symbols that are trading. */
export const listings = Effect.fn("Listing.listings")(function* (restUrl: string) {
  const response = yield* HttpClient.get(`${restUrl}/refdata`)
  const { data } = yield* HttpClientResponse.schemaBodyJson(Refdata)(yield* HttpClientResponse.filterStatusOk(response))
  return (data ?? []).filter((row) => row.status === "ACTIVE").map(listing)
}, Effect.provide(FetchHttpClient.layer))

/** Polls until the venue responds and lists a symbol. */
export const awaitListings = (restUrl: string): Effect.Effect<ReadonlyArray<Listing>> =>
  listings(restUrl).pipe(
    Effect.filterOrFail((all) => all.length > 0),
    Effect.retry(Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("30 seconds")])),
    // The schedule never ends, so no error remains.
    Effect.orDie
  )

/** Returns a decimal for the wire: ticks and lots are whole, so the quotient is the nearest double. */
export const decimal = (steps: number, perUnit: number): number => steps / perUnit

function listing(row: typeof RefdataSymbol.Type): Listing {
  const lotsPerUnit = stepsPerUnit(row.lot_size)
  return {
    symbol: row.symbol,
    ticksPerUnit: stepsPerUnit(row.tick_size),
    lotsPerUnit,
    minLots: Math.round(Number(row.min_quantity) * lotsPerUnit),
    maxLots: Math.round(Number(row.max_quantity) * lotsPerUnit),
    maxLeverage: row.default_max_leverage
  }
}

/** Steps are powers of ten of at most one unit, so the result is whole. */
function stepsPerUnit(step: string): number {
  return Math.round(1 / Number(step))
}
