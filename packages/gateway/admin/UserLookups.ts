/** Handles the operator endpoints that read users' data. Each read is recorded in the audit log before its response. */
import { AdminApi } from "@venue/api/admin/Api"
import { pageOf } from "@venue/api/treasury/TreasuryPage"
import { UserId } from "@venue/domain/UserId"
import * as Count from "@venue/postgres/Count"
import { UserStates } from "@venue/storage/access/UserStates"
import { Effect } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { unanswered } from "../http/Refusal.ts"
import { makeRecordRequest } from "./Operators.ts"
import * as UserReads from "./UserReads.ts"
import * as UserSearch from "./UserSearch.ts"

export const layer = group(
  AdminApi,
  "userLookups",
  Effect.fnUntraced(function* (handlers) {
    const { accounts, orders } = yield* UserReads.ofTrading
    const { deposits, withdrawals } = yield* UserReads.ofTreasury
    const { apiKeys, sessions } = yield* UserReads.ofAccess
    const record = yield* makeRecordRequest
    const search = yield* UserSearch.make
    const states = yield* UserStates
    const refusals = yield* apiProblems
    const unavailable = { DatabaseUnavailable: () => Effect.fail(refusals.draining()) }
    const unreachable = { ...unavailable, ...unanswered(refusals) }

    /** Records the read of an existing user's data, and returns the user's id. */
    const readOf = Effect.fnUntraced(function* (text: string, what: string) {
      const userId = UserId.make(text.toLowerCase())
      const { exists } = yield* states.find(userId)
      if (!exists) return yield* refusals.notFound("user", text, "find the user with GET /users")
      yield* record("user_read", userId, { what })
      return userId
    })
    const summaries = (userIds: ReadonlyArray<UserId>, what: string) =>
      Effect.forEach(userIds, (userId) =>
        Effect.andThen(record("user_read", userId, { what }), search.summaryOf(userId))
      )
    const pageFrom = (query: Parameters<typeof pageOf>[1]) => Effect.fromResult(pageOf(refusals, query))

    return handlers
      .handle("search", ({ query }) =>
        search.find(query.search).pipe(
          Effect.flatMap((userIds) => summaries(userIds, "search")),
          Effect.map((data) => ({ data, count: data.length })),
          Effect.catchTags(unavailable)
        )
      )
      .handle(
        "frozen",
        Effect.fnUntraced(function* ({ query }) {
          const page = yield* pageFrom(query)
          const frozen = yield* states.frozen(page)
          const count = yield* Count.total(page, frozen.length, states.countFrozen)
          return { data: yield* summaries(frozen, "frozen"), count }
        }, Effect.catchTags(unavailable))
      )
      .handle("one", ({ params }) =>
        readOf(params.user_id, "user").pipe(Effect.flatMap(search.detailOf), Effect.catchTags(unavailable))
      )
      .handle("accounts", ({ params }) =>
        readOf(params.user_id, "accounts").pipe(Effect.flatMap(accounts), Effect.catchTags(unreachable))
      )
      .handle("orders", ({ params }) =>
        readOf(params.user_id, "orders").pipe(Effect.flatMap(orders), Effect.catchTags(unreachable))
      )
      .handle(
        "deposits",
        Effect.fnUntraced(function* ({ params, query }) {
          const page = yield* pageFrom(query)
          return yield* deposits(yield* readOf(params.user_id, "deposits"), page)
        }, Effect.catchTags(unavailable))
      )
      .handle(
        "withdrawals",
        Effect.fnUntraced(function* ({ params, query }) {
          const page = yield* pageFrom(query)
          return yield* withdrawals(yield* readOf(params.user_id, "withdrawals"), page)
        }, Effect.catchTags(unavailable))
      )
      .handle("sessions", ({ params }) =>
        readOf(params.user_id, "sessions").pipe(Effect.flatMap(sessions), Effect.catchTags(unavailable))
      )
      .handle("apiKeys", ({ params }) =>
        readOf(params.user_id, "api_keys").pipe(Effect.flatMap(apiKeys), Effect.catchTags(unavailable))
      )
  })
)
