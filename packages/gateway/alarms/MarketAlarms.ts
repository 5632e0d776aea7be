/** Alarms of markets and desks: their own alarms, silence, and a missing price. */
import { instant } from "@venue/api/Digits"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { Feed } from "@venue/cluster/feed/Feed"
import type { LeftPosition } from "@venue/cluster/protocol/Desk"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { quantityOf } from "@venue/domain/Instrument"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Effect } from "effect"
import { type Condition, type Reading, reading, silence } from "./AlarmSource.ts"

/** Prefix of the sources that report whether a market or desk answers. */
export const reach = "reach/"

export const make = Effect.gen(function* () {
  const desks = yield* DeskClient
  const feed = yield* Feed
  const markets = yield* MarketClient
  const { desks: deskCount, instruments } = yield* VenueSettings
  const deskIds = Array.from({ length: deskCount }, (_, id) => String(id))

  const ofMarket = (symbol: MarketSymbol): Effect.Effect<ReadonlyArray<Reading>> =>
    Effect.match(markets.alarms(symbol), {
      onFailure: () => [
        reading(`${reach}${symbol}`, [unreachable(symbol, feed.head(symbol)?.aliveAtMillis)]),
        silence(symbol)
      ],
      onSuccess: (alarms) => [
        reading(`${reach}${symbol}`, []),
        reading(
          symbol,
          alarms.map(({ kind, sinceMillis }) => ({ kind, symbol, since: instant(sinceMillis) }))
        )
      ]
    })
  /** The feed has an entry from the first price of a market on. */
  const ofPrice = (symbol: MarketSymbol): Reading => {
    const source = `price/${symbol}`
    if (feed.head(symbol) === undefined) return silence(source)
    const isMissing = !feed.prices.has(symbol) && (feed.tradingStates.get(symbol) ?? "TRADING") === "TRADING"
    return reading(source, isMissing ? [{ kind: "NO_PRICE", symbol, since: null }] : [])
  }

  const left = ({ accountId, quantityLots, sinceMillis, symbol }: LeftPosition): Condition => ({
    kind: "POSITION_LEFT",
    symbol,
    since: instant(sinceMillis),
    account_id: accountId,
    quantity: quantityOf(instruments.get(symbol)!, quantityLots)
  })
  const ofDesk = (deskId: string): Effect.Effect<ReadonlyArray<Reading>> => {
    const source = `desk/${deskId}`
    return Effect.match(
      desks.askDesk(deskId, (desk) => desk.LeftPositions()),
      {
        onFailure: () => [
          reading(`${reach}${source}`, [
            {
              ...unreachable(null, undefined),
              reason: `Desk ${deskId}, which serves some of the users, does not answer.`
            }
          ]),
          silence(source)
        ],
        onSuccess: (positions) => [reading(`${reach}${source}`, []), reading(source, positions.map(left))]
      }
    )
  }

  return Effect.gen(function* () {
    const [ofMarkets, ofDesks] = yield* Effect.all(
      [
        Effect.forEach(instruments.keys(), ofMarket, { concurrency: maxCalls }),
        Effect.forEach(deskIds, ofDesk, { concurrency: maxCalls })
      ],
      { concurrency: "unbounded" }
    )
    return [...ofMarkets.flat(), ...[...instruments.keys()].map(ofPrice), ...ofDesks.flat()]
  })
})

/** Maximum number of calls in flight. A silent entity takes one until its deadline of 2 s. */
const maxCalls = 32

const unreachable = (symbol: MarketSymbol | null, aliveAtMillis: number | undefined): Condition => ({
  kind: "UNREACHABLE",
  symbol,
  since: aliveAtMillis === undefined ? null : instant(aliveAtMillis)
})
