/** What questions about the past of an account have in common: since when there is one, and which symbols are meant. */
import type { BadRequest, Problems } from "@venue/api/Problem"
import { type Duration, type Span, windows } from "@venue/api/rest/Duration"
import { symbolsOf } from "@venue/api/rest/SymbolFilter"
import type { Instrument } from "@venue/domain/Instrument"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { minuteMillis } from "@venue/domain/Minute"
import { quarterHourMillis } from "@venue/domain/QuarterHour"
import type { UserId } from "@venue/domain/UserId"
import type { Users } from "@venue/storage/access/Users"
import type { Moments } from "@venue/storage/history/Moments"
import { Effect, Option } from "effect"

/** When the user was made; it is looked up only where all there is is asked for. */
export const sinceOf = (users: Users["Service"], userId: UserId, duration: Duration) =>
  duration === "all"
    ? Effect.map(users.find(userId), (user) => Option.getOrThrow(user).createdAtMillis)
    : Effect.succeed(0)

/** The start of each window of a span. */
export const startsOf = (span: Span): Moments => ({
  first: span.startMillis / quarterHourMillis,
  step: (span.intervalMinutes * minuteMillis) / quarterHourMillis,
  count: windows(span)
})

/** The contracts of a filter, or all; `symbols` are there where one was given. */
export interface Filtered {
  readonly instruments: ReadonlyArray<Instrument>
  readonly symbols?: ReadonlyArray<MarketSymbol>
}

export const filtered = (
  refusals: Problems,
  listed: ReadonlyMap<MarketSymbol, Instrument>,
  list: string | undefined
): Effect.Effect<Filtered, BadRequest> => {
  const symbols = symbolsOf(list)
  if (symbols === undefined) return Effect.succeed({ instruments: [...listed.values()] })
  const unknown = symbols.find((symbol) => !listed.has(symbol))
  if (unknown !== undefined) return Effect.fail(refusals.unknownSymbolFilter(unknown))
  return Effect.succeed({ symbols, instruments: symbols.map((symbol) => listed.get(symbol)!) })
}
