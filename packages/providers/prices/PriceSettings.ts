/** Settings of price sources, read from a JSON file. */
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Effect, type Redacted, Schema } from "effect"
import type { HttpClient } from "effect/http"
import * as HttpPrices from "./HttpPrices.ts"
import { Fields } from "./Prints.ts"
import type { Contracts, PriceSource, Sources } from "./PriceSource.ts"
import * as WebSocketPrices from "./WebSocketPrices.ts"

/**
 * The source's contract names: one for a spot price, one for an index future, or one per month for the front
 * contracts.
 */
const ContractNames = Schema.Union([
  Schema.NonEmptyString,
  Schema.Struct({ future: Schema.NonEmptyString }),
  Schema.Struct({
    front_months: Schema.Record(Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}$/)), Schema.NonEmptyString)
  })
])

/** RFC 9110, sections 5.1 and 5.5. */
const HeaderName = Schema.String.check(Schema.isPattern(/^[\w!#$%&'*+.^`|~-]+$/))
const HeaderValue = Schema.String.check(Schema.isPattern(/^[\t\x20-\x7e\x80-\xff]*$/))

const address = (...protocols: ReadonlyArray<string>) =>
  Schema.String.check(
    Schema.makeFilter((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
      expected: `a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`
    })
  )

const shared = {
  name: Schema.NonEmptyString,
  /** Headers can hold secrets, so the file must be private. */
  headers: Schema.optionalKey(Schema.Record(HeaderName, Schema.RedactedFromValue(HeaderValue))),
  fields: Fields,
  symbols: Schema.Record(Schema.String, ContractNames),
  /** For a vendor without quote times: minutes within trading hours after which an unchanged price raises an alarm. */
  unchanged_minutes: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_440 })))
}

const seconds = (most: number) => Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: most }))

const HttpSettings = Schema.Struct({
  ...shared,
  kind: Schema.Literal("http"),
  url: address("http:", "https:"),
  /** Polling interval, well below the 10 s after which a price expires. */
  every_seconds: Schema.optionalKey(seconds(5))
})

const WebSocketSettings = Schema.Struct({
  ...shared,
  kind: Schema.Literal("websocket"),
  url: address("ws:", "wss:"),
  greeting: Schema.optionalKey(Schema.Array(Schema.Json)),
  silence_seconds: Schema.optionalKey(seconds(600))
})

const PriceSettings = Schema.Struct({
  sources: Schema.Array(Schema.Union([HttpSettings, WebSocketSettings])),
  least_sources: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })))
})
type Settings = (typeof PriceSettings.Type)["sources"][number]

/** The settings are invalid. `reason` states the valid values. */
export class PriceSettingsRefused extends Schema.TaggedError<PriceSettingsRefused>()("PriceSettingsRefused", {
  reason: Schema.String
}) {}

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(PriceSettings))

/** Returns the fault of a file, or undefined for a valid one. */
export const flawOf = (text: string, isListed: (symbol: MarketSymbol) => boolean): Effect.Effect<string | undefined> =>
  Effect.match(parse(text, isListed), {
    onFailure: ({ reason }) => `valid price sources (${reason})`,
    onSuccess: () => undefined
  })

/** Builds the sources of a file; each symbol must be listed by the venue. */
export const read = Effect.fn("PriceSettings.read")(function* (
  text: string,
  isListed: (symbol: MarketSymbol) => boolean
): Effect.fn.Return<Sources, PriceSettingsRefused, HttpClient.HttpClient> {
  const { least_sources: leastSources = 1, sources } = yield* parse(text, isListed)
  return { sources: yield* Effect.forEach(sources, make), leastSources }
})

const parse = Effect.fnUntraced(function* (text: string, isListed: (symbol: MarketSymbol) => boolean) {
  const settings = yield* decode(text, { onExcessProperty: "error" }).pipe(
    Effect.mapError(({ message }) => new PriceSettingsRefused({ reason: message.replaceAll(/\s+/g, " ") }))
  )
  const unlisted = settings.sources
    .flatMap(({ symbols }) => Object.keys(symbols))
    .find((name) => !isListed(MarketSymbol.make(name)))
  if (unlisted !== undefined) return yield* new PriceSettingsRefused({ reason: `${unlisted} is not a listed symbol` })
  return settings
})

const make = (settings: Settings): Effect.Effect<PriceSource, never, HttpClient.HttpClient> => {
  const { fields, headers = {}, name, url } = settings
  const symbols: ReadonlyMap<MarketSymbol, Contracts> = new Map(
    Object.entries(settings.symbols).map(([symbol, names]) => [MarketSymbol.make(symbol), contractsOf(names)])
  )
  const unchanged = settings.unchanged_minutes
  const options: Shared = {
    name,
    url,
    headers,
    fields,
    symbols,
    ...(unchanged === undefined ? {} : { unchangedMillis: unchanged * 60_000 })
  }
  return settings.kind === "http"
    ? HttpPrices.make({ ...options, everyMillis: (settings.every_seconds ?? 1) * 1_000 })
    : Effect.succeed(
        WebSocketPrices.make({
          ...options,
          greeting: (settings.greeting ?? []).map((message) => JSON.stringify(message)),
          silenceMillis: (settings.silence_seconds ?? 30) * 1_000
        })
      )
}

const contractsOf = (names: typeof ContractNames.Type): Contracts => {
  if (typeof names === "string") return { spot: names }
  return "future" in names ? { future: names.future } : { months: names.front_months }
}

interface Shared {
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, Redacted.Redacted>>
  readonly fields: Fields
  readonly symbols: ReadonlyMap<MarketSymbol, Contracts>
  readonly unchangedMillis?: number
}
