/** Lists of an account's history, as one page or as a whole CSV file. */
import type * as Csv from "@venue/api/Csv"
import type { BadRequest, ServiceUnavailable, TooManyRequests } from "@venue/api/Problem"
import { Caller } from "@venue/api/rest/Caller"
import { attachment } from "@venue/api/rest/CsvFile"
import { maxOffset } from "@venue/api/Offset"
import type { ListFilter } from "@venue/api/rest/ListPage"
import { noCost, type RateLimited } from "@venue/cluster/protocol/Desk"
import type { Unavailable } from "@venue/cluster/protocol/Market"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { AccountId } from "@venue/domain/AccountId"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Count from "@venue/postgres/Count"
import type { ReadQuery } from "@venue/storage/history/ReadTable"
import type { Listing } from "@venue/storage/history/RowOrder"
import * as SearchLimit from "@venue/storage/history/SearchLimit"
import { Context, Effect, Layer, Option, type Scope, type Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { History, type Source } from "../History.ts"
import { unanswered } from "../http/Refusal.ts"
import * as Downloads from "./Downloads.ts"

type Refused = BadRequest | TooManyRequests | ServiceUnavailable

export interface PageRequest<Row> extends Pick<Source, "projection"> {
  readonly filter: ListFilter
  readonly query: (accountId: AccountId) => ReadQuery<ReadonlyArray<Row>>
  readonly count: (accountId: AccountId) => ReadQuery<number>
  /** True if no index supports the filter, so that the search has a time limit. */
  readonly isSearch?: boolean
}

export interface FileRequest<Row> extends Pick<Source, "projection"> {
  readonly symbol?: MarketSymbol | undefined
  readonly listing: (accountId: AccountId) => Listing<Row>
  readonly file: Csv.File<Row>
}

export interface PageRead<Row> {
  readonly rows: ReadonlyArray<Row>
  /** Number of matching rows, at most `maxCount`. If the search is slow, counts only up to the end of the page. */
  readonly count: number
}

type Download = HttpApiSchema.withHeaders<
  Stream.Stream<Uint8Array, Unavailable>,
  { readonly "content-disposition": string }
>
type Request = Caller | HttpServerRequest.HttpServerRequest

export class Lists extends Context.Service<
  Lists,
  {
    readonly page: <Row>(request: PageRequest<Row>) => Effect.Effect<PageRead<Row>, Refused, Request>
    /** Returns the file, which counts as a download in progress until the scope closes. */
    readonly download: <Row extends { readonly symbol: MarketSymbol }>(
      request: FileRequest<Row>
    ) => Effect.Effect<Download, Refused, Request | Scope.Scope>
  }
>()("@venue/gateway/rest/Lists") {
  static readonly layer = Layer.effect(
    Lists,
    Effect.gen(function* () {
      const history = yield* History
      const { instruments } = yield* VenueSettings
      const downloads = yield* Downloads.make
      const refusals = yield* apiProblems
      const refused = <A, E, R>(self: Effect.Effect<A, E | Unavailable | RateLimited, R>) =>
        Effect.catchTags(self as Effect.Effect<A, Refused | Unavailable | RateLimited, R>, unanswered(refusals))
      const known = (symbol: MarketSymbol | undefined) =>
        symbol === undefined || instruments.has(symbol)
          ? Effect.void
          : Effect.fail(refusals.unknownSymbolFilter(symbol))

      const page = Effect.fn("Lists.page")(function* <Row>({
        filter,
        count,
        isSearch = false,
        projection,
        query
      }: PageRequest<Row>) {
        const { accountId, userId } = yield* Caller
        const { endMillis = Infinity, offset, startMillis = -Infinity, symbol } = filter
        yield* known(symbol)
        if (startMillis > endMillis) return yield* refusals.rangeNotAllowed(startMillis, endMillis)
        if (offset > maxOffset) return yield* refusals.offsetTooLarge(otherWays(offset))
        const reader = { userId, accountId, cost: noCost }
        const source = sourceOf(projection, symbol)
        const result = yield* isSearch
          ? history.read(reader, source, SearchLimit.limited(query(accountId), SearchLimit.searchMillis))
          : Effect.asSome(history.read(reader, source, query(accountId)))
        if (Option.isNone(result)) return yield* refusals.rangeTooLong(shorter)
        const rows = result.value
        return { rows, count: yield* Count.total(filter, rows.length, history.count(count(accountId))) }
      }, refused)

      const download = Effect.fn("Lists.download")(function* <Row extends { readonly symbol: MarketSymbol }>({
        file,
        listing,
        projection,
        symbol
      }: FileRequest<Row>) {
        const { accountId, userId } = yield* Caller
        yield* known(symbol)
        const watched = yield* downloads.admit(userId)
        const list = listing(accountId)
        const last = yield* history.read({ userId, accountId, cost: noCost }, sourceOf(projection, symbol), list.last)
        const lineOf = (row: Row) => file.cells(instruments.get(row.symbol)!, row)
        const body = Downloads.lines(history.readOn, { columns: file.columns, lineOf, list, last }, watched)
        return HttpApiSchema.withHeaders({ body, headers: attachment(file.name) })
      }, refused)

      return Lists.of({ page, download })
    })
  )
}

const sourceOf = (projection: Source["projection"], symbol: MarketSymbol | undefined): Source => ({
  projection,
  symbols: symbol === undefined ? undefined : [symbol]
})

const otherWays = (offset: number) =>
  `The largest offset is ${maxOffset}, got ${offset}; set end to the time of the last row that you received, or download the CSV.`

const shorter = `The search did not finish within ${SearchLimit.searchMillis / 1_000} s. Shorten the range: set start, or set it to a later time.`
