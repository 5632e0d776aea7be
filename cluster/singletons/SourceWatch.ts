/** Raises an alarm for each source that falls silent within hours, or whose price stands still for longer than its setting. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { PriceSource } from "@venue/providers/prices/PriceSource"
import { Clock, Effect, Schedule } from "effect"

interface Watched {
  /** Undefined before the first price since the open. */
  readonly priceE8: number | undefined
  readonly changedAtMillis: number
  readonly heardAtMillis: number
  readonly isSilent: boolean
  readonly isUnchanged: boolean
}

/** A price is expected within hours alone; what was seen before they ended does not count after. */
export const run = (
  sources: ReadonlyArray<PriceSource>,
  isExpected: (symbol: MarketSymbol, now: number) => boolean,
  priceNow: (source: PriceSource, symbol: MarketSymbol, now: number) => number | undefined
) => {
  const watched = new Map(sources.map((source) => [source, new Map<MarketSymbol, Watched>()]))
  const look = Effect.fnUntraced(function* (source: PriceSource, symbol: MarketSymbol) {
    const now = yield* Clock.currentTimeMillis
    const known = watched.get(source)!
    const priceE8 = priceNow(source, symbol, now)
    if (!isExpected(symbol, now)) return void known.delete(symbol)
    const before = known.get(symbol)
    // A source that went silent while the market was closed counts as silent from the open on.
    if (before === undefined) {
      const times = { changedAtMillis: now, heardAtMillis: now }
      return void known.set(symbol, { priceE8, ...times, isSilent: false, isUnchanged: false })
    }
    const heardAtMillis = priceE8 === undefined ? before.heardAtMillis : now
    const hasChanged = priceE8 !== undefined && priceE8 !== before.priceE8
    const changedAtMillis = hasChanged ? now : before.changedAtMillis
    const unchangedMillis = source.unchangedMillis ?? Infinity
    const isSilent = now - heardAtMillis >= silentMillis
    const isUnchanged = before.priceE8 !== undefined && now - changedAtMillis >= unchangedMillis
    known.set(symbol, { priceE8: priceE8 ?? before.priceE8, changedAtMillis, heardAtMillis, isSilent, isUnchanged })
    const name = `price source ${source.name}`
    if (isSilent && !before.isSilent)
      yield* Effect.logError(`${name} has given no current price of ${symbol} for a minute; it does not count`)
    if (!isSilent && before.isSilent) yield* Effect.logWarning(`${name} gives current prices of ${symbol} again`)
    if (isUnchanged && !before.isUnchanged)
      yield* Effect.logError(
        `${name}: its price of ${symbol} has not changed for ${unchangedMillis / 60_000} minutes within hours`
      )
    if (!isUnchanged && before.isUnchanged) yield* Effect.logWarning(`${name}: its price of ${symbol} changes again`)
  })
  const all = sources.flatMap((source) => [...source.symbols.keys()].map((symbol) => [source, symbol] as const))
  return Effect.forEach(all, ([source, symbol]) => look(source, symbol), { discard: true }).pipe(
    Effect.repeat(Schedule.spaced(lookEvery))
  )
}

const silentMillis = 60_000
const lookEvery = "5 seconds"
