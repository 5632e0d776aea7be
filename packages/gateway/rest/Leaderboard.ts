/** Handles `GET /public/leaderboard`. Results are computed at most once every 30 s for each duration. */
import { instant } from "@venue/api/Digits"
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { type Duration, defaultDuration, type Span, spanOf } from "@venue/api/rest/Duration"
import { defaultSort, maxRanked, ranked, type Result } from "@venue/api/rest/Leaderboard"
import { defaultLimit } from "@venue/api/rest/ListPage"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { dayOf } from "@venue/domain/Day"
import { quarterHourMillis } from "@venue/domain/QuarterHour"
import type { UserId } from "@venue/domain/UserId"
import { Profiles, type PublicProfile } from "@venue/storage/access/Profiles"
import * as DailyVolumes from "@venue/storage/history/DailyVolumes"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import * as Profits from "@venue/storage/history/Profits"
import * as ReadTable from "@venue/storage/history/ReadTable"
import { Cache, Clock, Effect, Exit } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { PublicReads } from "./PublicReads.ts"

export const layer = group(
  Api,
  "leaderboard",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const refusals = yield* apiProblems
    const computed = yield* keptFor("30 seconds", yield* computing)
    const profiles = yield* Profiles
    const { within } = yield* PublicReads
    /** Results for the accounts whose users are public now, with the users' current names. */
    const shown = yield* keptFor(
      "1 second",
      Effect.fnUntraced(function* (duration: Duration) {
        const { accountResults, ...span } = yield* Cache.get(computed, duration)
        const known = yield* within(profiles.shownOf([...new Set(accountResults.map(({ userId }) => userId))]))
        const byUser = new Map(known.map((profile) => [profile.userId, profile]))
        const results = accountResults.flatMap((result) => {
          const profile = byUser.get(result.userId)
          return profile === undefined ? [] : [{ ...result, account: accountOf(result.accountId, profile) }]
        })
        return { ...span, results }
      })
    )
    return handlers.handle(
      "leaderboard",
      Effect.fnUntraced(
        function* ({ query: { duration = defaultDuration, limit = defaultLimit, offset = 0, sort = defaultSort } }) {
          const { atMillis, results, startMillis } = yield* Cache.get(shown, duration)
          const body = {
            $schema: schemaUri(baseUrl, "LeaderboardResponseBody"),
            duration,
            sort,
            start: instant(startMillis),
            end: instant(atMillis),
            data: ranked(results, sort).slice(offset, offset + limit),
            count: results.length
          }
          return HttpApiSchema.withHeaders({ body, headers: { "cache-control": "no-store" } })
        },
        Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
      )
    )
  })
)

/** Caches successes for `time`; failures are not cached. */
const keptFor = <A, E, R>(time: "1 second" | "30 seconds", lookup: (duration: Duration) => Effect.Effect<A, E, R>) =>
  Cache.makeWith(lookup, { capacity: 8, timeToLive: (exit) => (Exit.isSuccess(exit) ? time : 0) })

type AccountResult = Omit<Result, "account"> & Pick<DailyVolumes.AccountVolume, "accountId" | "userId">

/** Computes a duration's results from the tables for queries only, so that no desk has to load a trader. */
const computing = Effect.gen(function* () {
  const profiles = yield* Profiles
  const { read, within } = yield* PublicReads
  const { instruments } = yield* VenueSettings

  const resultOf = Effect.fnUntraced(function* (account: DailyVolumes.AccountVolume, span: Span) {
    const first = span.startMillis / quarterHourMillis
    const moments = { first, step: span.endMillis / quarterHourMillis - first, count: 2 }
    const filter = { accountId: account.accountId, instruments: [...instruments.values()], moments }
    const query = ReadTable.both(Profits.summed(filter), LedgerEntries.cashAt(account.accountId, moments))
    const [[before, after], [cashBefore, cashAfter]] = yield* read(query)
    return {
      ...account,
      profit: after!.profit - before!.profit,
      startEquity: cashBefore!.amount + before!.profit + before!.rewards,
      deposited: cashAfter!.deposited - cashBefore!.deposited
    } satisfies AccountResult
  })

  /** Returns the public users' accounts with the largest volume. Reads users page by page. */
  const largest = Effect.fnUntraced(function* (fromDay: number) {
    let best: ReadonlyArray<DailyVolumes.AccountVolume> = []
    for (let after: UserId | undefined; ;) {
      const page = yield* within(profiles.shown({ after, limit: pageUsers }))
      const userIds = page.map(({ userId }) => userId)
      const accounts = yield* read(DailyVolumes.largest(userIds, fromDay, maxRanked))
      best = [...best, ...accounts].toSorted(DailyVolumes.largestFirst).slice(0, maxRanked)
      if (page.length < pageUsers) return best
      after = userIds.at(-1)
    }
  })

  return Effect.fnUntraced(function* (duration: Duration) {
    const atMillis = yield* Clock.currentTimeMillis
    const span = spanOf(duration, atMillis, 0)
    const accounts = yield* largest(dayOf(span.startMillis))
    const accountResults = yield* Effect.forEach(accounts, (account) => resultOf(account, span), { concurrency: 2 })
    return { atMillis, startMillis: span.startMillis, accountResults }
  })
})

const accountOf = (accountId: DailyVolumes.AccountVolume["accountId"], profile: PublicProfile) => ({
  account_id: accountId,
  user_id: profile.userId,
  is_public: true,
  ...(profile.username === null ? {} : { username: profile.username }),
  ...(profile.avatarUrl === null ? {} : { avatar_url: profile.avatarUrl })
})

/** Number of public users whose volumes one query sums. */
const pageUsers = 5_000
