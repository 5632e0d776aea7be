/** Answers `GET /public/leaderboard`: computed at most once in 30 s for each duration, however many ask. */
import { instant } from "@venue/api/Digits"
import { problems, schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { type Duration, defaultDuration, type Span, spanOf } from "@venue/api/rest/Duration"
import { defaultSort, maxRanked, ranked, type Result } from "@venue/api/rest/Leaderboard"
import { defaultLimit } from "@venue/api/rest/ListPage"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { dayOf } from "@venue/domain/Day"
import { quarterHourMillis } from "@venue/domain/QuarterHour"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Profiles, type PublicProfile } from "@venue/storage/access/Profiles"
import * as DailyVolumes from "@venue/storage/history/DailyVolumes"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import * as Profits from "@venue/storage/history/Profits"
import * as ReadTable from "@venue/storage/history/ReadTable"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as SearchLimit from "@venue/storage/history/SearchLimit"
import { Cache, Clock, Effect, Exit, Option } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { group } from "../http/Endpoints.ts"

export const layer = (baseUrl: string) =>
  group(
    Api,
    "leaderboard",
    Effect.fnUntraced(function* (handlers) {
      const results = yield* computing
      const refusals = problems(baseUrl)
      const kept = yield* Cache.makeWith(results, {
        capacity: 8,
        timeToLive: (exit) => (Exit.isSuccess(exit) ? keptFor : 0)
      })
      return handlers.handle(
        "leaderboard",
        Effect.fnUntraced(
          function* ({ query: { duration = defaultDuration, limit = defaultLimit, offset = 0, sort = defaultSort } }) {
            const { atMillis, found, startMillis } = yield* Cache.get(kept, duration)
            const body = {
              $schema: schemaUri(baseUrl, "LeaderboardResponseBody"),
              duration,
              sort,
              start: instant(startMillis),
              end: instant(atMillis),
              data: ranked(found, sort).slice(offset, offset + limit),
              count: found.length
            }
            return HttpApiSchema.withHeaders({ body, headers: { "cache-control": "public, max-age=5" } })
          },
          Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
        )
      )
    })
  )

/** The results of a duration, from the read tables: no desk is woken. */
const computing = Effect.gen(function* () {
  const profiles = yield* Profiles
  const tables = yield* ReadTables
  const { instruments } = yield* VenueSettings

  const resultOf = Effect.fnUntraced(function* (
    { accountId, userId, volume }: DailyVolumes.AccountVolume,
    span: Span,
    profile: PublicProfile
  ) {
    const first = span.startMillis / quarterHourMillis
    const moments = { first, step: span.endMillis / quarterHourMillis - first, count: 2 }
    const asked = { accountId, instruments: [...instruments.values()], moments }
    const query = ReadTable.both(Profits.summed(asked), LedgerEntries.cashAt(accountId, moments))
    const [[before, after], [cashBefore, cashAfter]] = yield* tables.read(query)
    const equity = (profit: Profits.Profit, cash: LedgerEntries.Cash) => cash.amount + profit.profit + profit.rewards
    return {
      account: {
        account_id: accountId,
        user_id: userId,
        is_public: true,
        ...(profile.username === null ? {} : { username: profile.username }),
        ...(profile.avatarUrl === null ? {} : { avatar_url: profile.avatarUrl })
      },
      profit: after!.profit - before!.profit,
      volume,
      startEquity: equity(before!, cashBefore!),
      endEquity: equity(after!, cashAfter!),
      deposited: cashAfter!.deposited - cashBefore!.deposited
    } satisfies Result
  })

  return Effect.fnUntraced(function* (duration: Duration) {
    const atMillis = yield* Clock.currentTimeMillis
    const span = spanOf(duration, atMillis, 0)
    const shown = new Map((yield* profiles.shown(maxShown)).map((profile) => [profile.userId, profile]))
    const largest = DailyVolumes.largest([...shown.keys()], dayOf(span.startMillis), maxRanked)
    const accounts = yield* tables.read(SearchLimit.limited(largest, SearchLimit.searchMillis))
    if (Option.isNone(accounts)) return yield* new DatabaseUnavailable({ cause: "the volumes took too long" })
    const found = yield* Effect.forEach(
      accounts.value,
      (account) => resultOf(account, span, shown.get(account.userId)!),
      {
        concurrency: 2
      }
    )
    return { atMillis, startMillis: span.startMillis, found }
  })
})

/** Users with a public profile who are looked at: the volumes of no more are summed. */
const maxShown = 10_000
const keptFor = "30 seconds"
