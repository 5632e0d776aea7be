/** Handles `GET /public/trades` and `GET /public/account/{account_id}/trades`, using only the tables for queries. */
import { maxOffset } from "@venue/api/Offset"
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { symbolFrom } from "@venue/api/rest/ListPage"
import { maxPublicOffset, publicPage, publicTrade } from "@venue/api/rest/PublicTrades"
import { Accounts } from "@venue/auth/session/Accounts"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { AccountId } from "@venue/domain/AccountId"
import * as Count from "@venue/postgres/Count"
import { Profiles } from "@venue/storage/access/Profiles"
import * as PublicTrades from "@venue/storage/history/PublicTrades"
import type { ReadQuery } from "@venue/storage/history/ReadTable"
import * as Trades from "@venue/storage/history/Trades"
import { Effect, Option } from "effect"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import type { ChargeMore } from "../http/Refusal.ts"
import { deepPageWeight } from "../http/RequestWeight.ts"
import { PublicReads } from "./PublicReads.ts"

export const layer = (makeChargeMore: Effect.Effect<ChargeMore, never, ApiBaseUrl>) =>
  group(
    Api,
    "publicTrades",
    Effect.fnUntraced(function* (handlers) {
      const baseUrl = yield* ApiBaseUrl
      const chargeMore = yield* makeChargeMore
      const accounts = yield* Accounts
      const profiles = yield* Profiles
      const reads = yield* PublicReads
      const { instruments } = yield* VenueSettings
      const refusals = yield* apiProblems
      const unavailable = () => Effect.fail(refusals.draining())

      const read = <A>(query: ReadQuery<A>) => Effect.catchTag(reads.read(query), "DatabaseUnavailable", unavailable)
      /** Before the read, charges for the page's rows that the endpoint's own weight does not cover. */
      const charge = Effect.fnUntraced(function* (action: string, rows: number) {
        const more = deepPageWeight(action, rows)
        if (more > 0) yield* chargeMore(more)
      })
      const validated = Effect.fnUntraced(function* (
        query: { readonly symbol?: string; readonly limit?: number; readonly offset?: number },
        largest: number
      ) {
        const symbol = symbolFrom(query.symbol)
        if (symbol !== undefined && !instruments.has(symbol)) return yield* refusals.unknownSymbolFilter(symbol)
        const page = publicPage(query)
        if (page.offset > largest)
          return yield* refusals.offsetTooLarge(
            `The largest offset is ${largest}, got ${page.offset}; send a smaller offset.`
          )
        return { ...page, symbol }
      })
      const body = (rows: ReadonlyArray<Trades.TradeRow>, count: number) => ({
        $schema: schemaUri(baseUrl, "PublicTradesResponseBody"),
        data: rows.map((row) => publicTrade(instruments.get(row.symbol)!, row)),
        count
      })
      /** Refuses unknown and private accounts in the same way. */
      const shown = Effect.fnUntraced(
        function* (accountId: AccountId) {
          const owner = yield* accounts.ownerOf(accountId)
          if (Option.isNone(owner)) return yield* refusals.accountNotPublic()
          const { isPublic } = yield* profiles.find(owner.value)
          if (!isPublic) return yield* refusals.accountNotPublic()
        },
        Effect.catchTag("DatabaseUnavailable", unavailable)
      )

      return handlers
        .handle(
          "publicTrades",
          Effect.fnUntraced(function* ({ query }) {
            const { symbol, ...page } = yield* validated(query, maxPublicOffset)
            const symbols = symbol === undefined ? [...instruments.keys()] : [symbol]
            yield* charge("GET /public/trades", (page.offset + page.limit) * symbols.length)
            const { count, rows } = yield* read(PublicTrades.page({ ...page, symbols }))
            return body(rows, count)
          })
        )
        .handle(
          "publicAccountTrades",
          Effect.fnUntraced(function* ({ params, query }) {
            const accountId = AccountId.make(params.account_id.toLowerCase())
            yield* shown(accountId)
            const page = yield* validated(query, maxOffset)
            yield* charge("GET /public/account/:account_id/trades", page.offset + page.limit)
            const rows = yield* read(Trades.page({ ...page, accountId }))
            const counted = reads.count(Trades.count({ accountId, symbol: page.symbol }))
            return body(rows, yield* Count.total(page, rows.length, counted))
          })
        )
    })
  )
