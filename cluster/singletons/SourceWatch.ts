/** Logs price sources without a price during trading hours, or with a price unchanged longer than configured. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { PriceSource } from "@venue/providers/prices/PriceSource"
import { Clock, Effect, Schedule } from "effect"

interface Watched {
  /** Undefined before the first price since trading hours began. */
  readonly priceE8: number | undefined
  readonly changedAtMillis: number
  readonly receivedAtMillis: number
  readonly isSilent: boolean
  readonly isUnchanged: boolean
}

/** Checks all sources every 5 s, during trading hours only. Each opening resets the checks. */
export const run = (
  sources: ReadonlyArray<PriceSource>,
  isExpected: (symbol: MarketSymbol, now: number) => boolean,
  priceNow: (source: PriceSource, symbol: MarketSymbol, now: number) => number | undefined
) => {
  const watched = new Map(sources.map((source) => [source, new Map<MarketSymbol, Watched>()]))
  const check = Effect.fnUntraced(function* (source: PriceSource, symbol: MarketSymbol) {
    const now = yield* Clock.currentTimeMillis
    const known = watched.get(source)!
    const priceE8 = priceNow(source, symbol, now)
    if (!isExpected(symbol, now)) return void known.delete(symbol)
    const before = known.get(symbol)
    // A source that stopped while the market was closed counts as silent from the opening.
    if (before === undefined) {
      const times = { changedAtMillis: now, receivedAtMillis: now }
      return void known.set(symbol, { priceE8, ...times, isSilent: false, isUnchanged: false })
    }
    const receivedAtMillis = priceE8 === undefined ? before.receivedAtMillis : now
    const hasChanged = priceE8 !== undefined && priceE8 !== before.priceE8
    const changedAtMillis = hasChanged ? now : before.changedAtMillis
    const unchangedMillis = source.unchangedMillis ?? Infinity
    const isSilent = now - receivedAtMillis >= silentMillis
    const isUnchanged = before.priceE8 !== undefined && now - changedAtMillis >= unchangedMillis
    known.set(symbol, { priceE8: priceE8 ?? before.priceE8, changedAtMillis, receivedAtMillis, isSilent, isUnchanged })
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
  const all = sources.flatMap((source) => [...source.symbols.keys()].map((symbol) => [source, symbol] as const))
  return Effect.forEach(all, ([source, symbol]) => check(source, symbol), { discard: true }).pipe(
    Effect.repeat(Schedule.spaced(checkInterval))
  )
}

const silentMillis = 60_000
const checkInterval = "5 seconds"
