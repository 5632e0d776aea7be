/** Handles `GET /alarms`: lists the venue's alarms first, then those of markets, desks and the treasury. */
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
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import * as RecoveryAlarms from "./RecoveryAlarms.ts"
import * as TreasuryAlarms from "./TreasuryAlarms.ts"
import * as VenueModeAlarms from "./VenueModeAlarms.ts"

export const layer = group(
  AdminApi,
  "alarms",
  Effect.fnUntraced(function* (handlers) {
    const ofTreasury = yield* TreasuryAlarms.make
    const ofRecovery = yield* RecoveryAlarms.make
    const ofVenue = yield* VenueModeAlarms.make
    const desks = yield* DeskClient
    const feed = yield* Feed
    const refusals = yield* apiProblems
    const markets = yield* MarketClient
    const { desks: deskCount, instruments } = yield* VenueSettings

    const ofMarket = (symbol: MarketSymbol): Effect.Effect<ReadonlyArray<typeof Alarm.Type>> =>
      Effect.match(markets.alarms(symbol), {
        onFailure: () => [unreachable(symbol, feed.head(symbol)?.aliveAtMillis)],
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
      Effect.fnUntraced(
        function* () {
          const deskIds = Array.from({ length: deskCount }, (_, id) => String(id))
          const alarms = yield* Effect.all(
            [
              Effect.forEach(instruments.keys(), ofMarket, { concurrency: 8 }),
              Effect.forEach(deskIds, ofDesk, { concurrency: 8 })
            ],
            { concurrency: "unbounded" }
          )
          const data = [...(yield* ofRecovery), ...(yield* ofVenue), ...alarms.flat(2), ...(yield* ofTreasury)]
          return { data, count: data.length, at: instant(yield* Clock.currentTimeMillis) }
        },
        Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
      )
    )
  })
)

const unreachable = (symbol: MarketSymbol | null, aliveAtMillis: number | undefined): typeof Alarm.Type => ({
  kind: "UNREACHABLE",
  symbol,
  since: aliveAtMillis === undefined ? null : instant(aliveAtMillis)
})
