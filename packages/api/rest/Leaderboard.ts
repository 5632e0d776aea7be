/** `GET /public/leaderboard`: public accounts ranked by profit, return or volume. */
import { decimalOfMoney } from "@venue/domain/Decimal"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CacheControl, Moment, Rows, SchemaLink } from "../Body.ts"
import * as Member from "../Member.ts"
import { operation } from "../Operation.ts"
import { described, Optional, WholeNumber } from "../Parameter.ts"
import { ServiceUnavailable } from "../Problem.ts"
import { defaultDuration, Duration } from "./Duration.ts"
import { defaultLimit } from "./ListPage.ts"
import { inUnit } from "./Pnl.ts"
import { AccountPublic } from "./PublicPositions.ts"

/** Maximum number of ranked accounts; the accounts with the largest volume in the span are ranked. */
export const maxRanked = 200

/** Public account and its results. */
export const LeaderboardEntry = Schema.Struct({
  $schema: SchemaLink,
  rank: Member.count("Rank in the requested order; 1 is the best"),
  account: AccountPublic,
  pnl: Member.usd("Profit or loss in the span: realised and unrealised profit plus funding minus fees"),
  return_percent: Schema.Finite.annotate({
    description:
      "Profit or loss as a percentage of the equity at the start of the span plus net deposits in the span; 0 if that sum is 0 or less."
  }),
  volume: Member.usd("Notional traded as maker and taker on the days of the span")
}).annotate({
  identifier: "LeaderboardEntry",
  description: "Account of a user with a public profile, with its results."
})
export type LeaderboardEntry = typeof LeaderboardEntry.Type

/** Order of the ranking. */
export const Sort = Schema.Literals(["absolute", "percent", "volume"])
export type Sort = typeof Sort.Type

/** Default order of the ranking. */
export const defaultSort = "absolute"

/** Response body of `GET /public/leaderboard`. */
export const LeaderboardResponseBody = Schema.Struct({
  $schema: SchemaLink,
  duration: Schema.String.annotate({ description: "Requested span of time: `1d`, `1w`, `1m`, `ytd` or `all`." }),
  sort: Schema.String.annotate({ description: "Requested order of the ranking: `absolute`, `percent` or `volume`." }),
  start: Moment.annotate({ description: "Start of the span, ISO 8601 in UTC." }),
  end: Moment.annotate({ description: "Time of the results, at most 30 s before the response." }),
  data: Rows(LeaderboardEntry).annotate({ description: "Accounts on this page, best first." }),
  count: Member.count(`Total number of ranked accounts, not only on this page; at most ${maxRanked}`)
}).annotate({ identifier: "LeaderboardResponseBody" })

export const LeaderboardGroup = HttpApiGroup.make("leaderboard").add(
  HttpApiEndpoint.get("leaderboard", "/public/leaderboard", {
    query: {
      duration: Optional(Duration),
      sort: Optional(Sort),
      limit: Optional(WholeNumber({ minimum: 1, maximum: maxRanked })),
      offset: Optional(WholeNumber({ minimum: 0, maximum: maxRanked }))
    },
    success: HttpApiSchema.WithHeaders(LeaderboardResponseBody, { "cache-control": CacheControl }),
    error: ServiceUnavailable
  })
    .annotateMerge(
      operation(
        "Get the leaderboard",
        `Returns the accounts of users with a public profile, ranked by profit, return or volume. Only the ${maxRanked} public accounts with the largest volume of the span are ranked. Accounts are private by default, and an account whose user becomes private disappears within a second. Balances are not returned. Results are cached for 30 s. No credentials are needed. This operation is specific to this venue.`
      )
    )
    .annotate(
      OpenApi.Transform,
      described({
        duration: {
          type: "string",
          enum: Duration.literals,
          default: defaultDuration,
          description: "Span of time that ends now; `all` starts at 1970-01-01."
        },
        sort: {
          type: "string",
          enum: Sort.literals,
          default: defaultSort,
          description:
            "Order of the ranking: by profit in USD (`absolute`), by return in percent (`percent`) or by notional traded (`volume`)."
        },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: maxRanked,
          default: defaultLimit,
          description: "Maximum number of rows to return."
        },
        offset: {
          type: "integer",
          minimum: 0,
          maximum: maxRanked,
          default: 0,
          description: "Number of rows to skip, counted from the best."
        }
      })
    )
)

/** Result of one account, in 1e-6 USD. */
export interface Result {
  readonly account: typeof AccountPublic.Type
  readonly profit: bigint
  readonly volume: bigint
  /** Equity at the start of the span. Not published, because balances are private. */
  readonly startEquity: bigint
  /** Deposits minus withdrawals since the start of the span, including transfers. */
  readonly deposited: bigint
}

/** Returns all entries, best first; equal entries are ordered by account id. */
export const ranked = (results: ReadonlyArray<Result>, sort: Sort): ReadonlyArray<LeaderboardEntry> => {
  const entries = results.map((result) => ({
    account: result.account,
    pnl: decimalOfMoney(result.profit),
    return_percent: inUnit(result.profit, result.startEquity + result.deposited),
    volume: decimalOfMoney(result.volume)
  }))
  const valueOf = { absolute: "pnl", percent: "return_percent", volume: "volume" } as const
  const by = valueOf[sort]
  return entries
    .toSorted((a, b) => b[by] - a[by] || (a.account.account_id < b.account.account_id ? -1 : 1))
    .map((entry, index) => ({ rank: index + 1, ...entry }))
}
