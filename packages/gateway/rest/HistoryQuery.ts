/** Parameters for reads of an account's history: start time, windows and symbols. */
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

/** Returns the user's creation time for the duration `all`, or 0 for other durations. */
export const sinceOf = (users: Users["Service"], userId: UserId, duration: Duration) =>
  duration === "all"
    ? Effect.map(users.find(userId), (user) => Option.getOrThrow(user).createdAtMillis)
    : Effect.succeed(0)

export const startsOf = (span: Span): Moments => ({
  first: span.startMillis / quarterHourMillis,
  step: (span.intervalMinutes * minuteMillis) / quarterHourMillis,
  count: windows(span)
})

/** Contracts that match a filter. Without a filter, `instruments` has all contracts and `symbols` is undefined. */
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
