/**
 * Logs price sources without a price during trading hours, or with a price unchanged longer than configured. Reports
 * sources without a current price for any of their symbols.
 */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { PriceSource } from "@venue/providers/prices/PriceSource"
import { Clock, Effect, Schedule } from "effect"

interface Watched {
  /** Undefined before the first price since trading hours began. */
  readonly priceE8: number | undefined
  readonly changedAtMillis: number
  readonly receivedAtMillis: number
  /** Whether the source had a current price at the last check. */
  readonly isCurrent: boolean
  readonly isSilent: boolean
  readonly isUnchanged: boolean
}

/** Receives the state of a source when the state is known, and repeatedly while it lasts. */
export interface SourceReport {
  readonly died: (source: PriceSource, reason: string) => Effect.Effect<void>
  readonly works: (source: PriceSource) => Effect.Effect<void>
}

/** Checks all sources every 5 s, during trading hours only. Each opening resets the checks. */
export const run = (
  sources: ReadonlyArray<PriceSource>,
  isExpected: (symbol: MarketSymbol, now: number) => boolean,
  priceNow: (source: PriceSource, symbol: MarketSymbol, now: number) => number | undefined,
  report: SourceReport
) => {
  const watched = new Map(sources.map((source) => [source, new Map<MarketSymbol, Watched>()]))
  const check = Effect.fnUntraced(function* (source: PriceSource, symbol: MarketSymbol) {
    const now = yield* Clock.currentTimeMillis
    const known = watched.get(source)!
    const priceE8 = priceNow(source, symbol, now)
    const isCurrent = priceE8 !== undefined
    if (!isExpected(symbol, now)) return void known.delete(symbol)
    const before = known.get(symbol)
    // A source that stopped while the market was closed counts as silent from the opening.
    if (before === undefined) {
      const times = { changedAtMillis: now, receivedAtMillis: now }
      return void known.set(symbol, { priceE8, ...times, isCurrent, isSilent: false, isUnchanged: false })
    }
    const receivedAtMillis = isCurrent ? now : before.receivedAtMillis
    const hasChanged = isCurrent && priceE8 !== before.priceE8
    const changedAtMillis = hasChanged ? now : before.changedAtMillis
    const unchangedMillis = source.unchangedMillis ?? Infinity
    const isSilent = now - receivedAtMillis >= silentMillis
    const isUnchanged = before.priceE8 !== undefined && now - changedAtMillis >= unchangedMillis
    const times = { changedAtMillis, receivedAtMillis }
    known.set(symbol, { priceE8: priceE8 ?? before.priceE8, ...times, isCurrent, isSilent, isUnchanged })
    const name = `price source ${source.name}`
    if (isSilent && !before.isSilent)
      yield* Effect.logError(
        `${name} has sent no current price for ${symbol} for 1 minute; the source is ignored for this symbol`
      )
    if (!isSilent && before.isSilent) yield* Effect.logWarning(`${name} sends current prices for ${symbol} again`)
    if (isUnchanged && !before.isUnchanged)
      yield* Effect.logError(
        `${name}: the price of ${symbol} has not changed for ${unchangedMillis / 60_000} minutes of trading hours`
      )
    if (!isUnchanged && before.isUnchanged) yield* Effect.logWarning(`${name}: the price of ${symbol} changes again`)
  })
  /** A source whose state is not known yet keeps the state that an earlier node reported. */
  const judge = (source: PriceSource): Effect.Effect<void> => {
    const expected = [...watched.get(source)!.values()]
    if (expected.length === 0 || expected.some(({ isCurrent }) => isCurrent)) return report.works(source)
    if (!expected.every(({ isSilent }) => isSilent)) return Effect.void
    const fault = source.fault?.()
    const silence = `No current price for any of its ${expected.length} symbols whose markets are open, for 1 minute or more.`
    return report.died(source, fault === undefined ? silence : `${silence} Latest failure: ${fault}`)
  }
  return Effect.forEach(
    sources,
    (source) =>
      Effect.andThen(
        Effect.forEach(source.symbols.keys(), (symbol) => check(source, symbol), { discard: true }),
        Effect.suspend(() => judge(source))
      ),
    { discard: true }
  ).pipe(Effect.repeat(Schedule.spaced(checkInterval)))
}

const silentMillis = 60_000
const checkInterval = "5 seconds"
