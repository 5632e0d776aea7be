/** Answers an operator who asks what has to be seen to: every market and every desk says it for itself. */
import type { Alarm } from "@venue/api/admin/Alarms"
import { AdminApi } from "@venue/api/admin/Api"
import { instant } from "@venue/api/Digits"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { Feed } from "@venue/cluster/feed/Feed"
import type { LeftPosition } from "@venue/cluster/protocol/Desk"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { quantityOf } from "@venue/domain/Instrument"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Clock, Effect } from "effect"
import { group } from "../http/Endpoints.ts"

export const layer = group(
  AdminApi,
  "alarms",
  Effect.fnUntraced(function* (handlers) {
    const desks = yield* DeskClient
    const feed = yield* Feed
    const markets = yield* MarketClient
    const { desks: deskCount, instruments } = yield* VenueSettings

    const ofMarket = (symbol: MarketSymbol): Effect.Effect<ReadonlyArray<typeof Alarm.Type>> =>
      Effect.match(markets.alarms(symbol), {
        onFailure: () => [unreachable(symbol, feed.head(symbol)?.heardAtMillis)],
        onSuccess: (alarms) => alarms.map(({ kind, sinceMillis }) => ({ kind, symbol, since: instant(sinceMillis) }))
      })
    const left = ({ accountId, quantityLots, sinceMillis, symbol }: LeftPosition): typeof Alarm.Type => ({
      kind: "POSITION_LEFT",
      symbol,
      since: instant(sinceMillis),
      account_id: accountId,
      quantity: quantityOf(instruments.get(symbol)!, quantityLots)
    })
    const ofDesk = (deskId: string): Effect.Effect<ReadonlyArray<typeof Alarm.Type>> =>
      Effect.match(
        desks.askDesk(deskId, (desk) => desk.LeftPositions()),
        {
          onFailure: () => [unreachable(null, undefined)],
          onSuccess: (positions) => positions.map(left)
        }
      )

    return handlers.handle(
      "list",
      Effect.fnUntraced(function* () {
        const deskIds = Array.from({ length: deskCount }, (_, id) => String(id))
        const told = yield* Effect.all(
          [
            Effect.forEach(instruments.keys(), ofMarket, { concurrency: 8 }),
            Effect.forEach(deskIds, ofDesk, { concurrency: 8 })
          ],
          { concurrency: "unbounded" }
        )
        const data = told.flat(2)
        return { data, count: data.length, at: instant(yield* Clock.currentTimeMillis) }
      })
    )
  })
)

const unreachable = (symbol: MarketSymbol | null, heardAtMillis: number | undefined): typeof Alarm.Type => ({
  kind: "UNREACHABLE",
  symbol,
  since: heardAtMillis === undefined ? null : instant(heardAtMillis)
})
