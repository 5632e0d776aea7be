/** Answers `GET /public/trades` and `GET /public/account/{account_id}/trades`, from the read tables alone. */
import { maxOffset } from "@venue/api/Offset"
import { problems, schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { symbolAsked } from "@venue/api/rest/ListPage"
import { maxPublicOffset, publicPage, publicTrade } from "@venue/api/rest/PublicTrades"
import { Accounts } from "@venue/auth/session/Accounts"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { AccountId } from "@venue/domain/AccountId"
import * as Count from "@venue/postgres/Count"
import { Profiles } from "@venue/storage/access/Profiles"
import * as PublicTrades from "@venue/storage/history/PublicTrades"
import type { ReadQuery } from "@venue/storage/history/ReadTable"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as SearchLimit from "@venue/storage/history/SearchLimit"
import * as Trades from "@venue/storage/history/Trades"
import { Effect, Option, Semaphore } from "effect"
import { group } from "../http/Endpoints.ts"

export const layer = (baseUrl: string) =>
  group(
    Api,
    "publicTrades",
    Effect.fnUntraced(function* (handlers) {
      const accounts = yield* Accounts
      const profiles = yield* Profiles
      const tables = yield* ReadTables
      const queries = yield* Semaphore.make(maxQueries)
      const { instruments } = yield* VenueSettings
      const refusals = problems(baseUrl)
      const unavailable = () => Effect.fail(refusals.draining())

      const read = <A>(query: ReadQuery<A>) =>
        queries
          .withPermit(tables.read(SearchLimit.limited(query, SearchLimit.searchMillis)))
          .pipe(
            Effect.flatMap(Option.match({ onNone: unavailable, onSome: Effect.succeed })),
            Effect.catchTag("DatabaseUnavailable", unavailable)
          )
      const asked = Effect.fnUntraced(function* (
        query: { readonly symbol?: string; readonly limit?: number; readonly offset?: number },
        largest: number
      ) {
        const symbol = symbolAsked(query.symbol)
        if (symbol !== undefined && !instruments.has(symbol)) return yield* refusals.unknownSymbolFilter(symbol)
        const page = publicPage(query)
        if (page.offset > largest)
          return yield* refusals.offsetTooLarge(`The largest offset is ${largest}, got ${page.offset}.`)
        return { ...page, symbol }
      })
      const body = (rows: ReadonlyArray<Trades.TradeRow>, count: number) => ({
        $schema: schemaUri(baseUrl, "PublicTradesResponseBody"),
        data: rows.map((row) => publicTrade(instruments.get(row.symbol)!, row)),
        count
      })
      /** Fails for an account that does not exist as for one that is not shown. */
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
            const { symbol, ...page } = yield* asked(query, maxPublicOffset)
            const symbols = symbol === undefined ? [...instruments.keys()] : [symbol]
            const { count, rows } = yield* read(PublicTrades.page({ ...page, symbols }))
            return body(rows, count)
          })
        )
        .handle(
          "publicAccountTrades",
          Effect.fnUntraced(function* ({ params, query }) {
            const accountId = AccountId.make(params.account_id.toLowerCase())
            yield* shown(accountId)
            const page = yield* asked(query, maxOffset)
            const rows = yield* read(Trades.page({ ...page, accountId }))
            const counted = read(Trades.count({ accountId, symbol: page.symbol }))
            return body(rows, yield* Count.total(page, rows.length, counted))
          })
        )
    })
  )

/** Queries at once, of all strangers: fewer than the pool has connections. */
const maxQueries = 2
