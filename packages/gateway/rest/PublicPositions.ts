/** Handles `GET /public/accounts/{account_id}/positions`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { positionPublic } from "@venue/api/rest/Positions"
import type { PublicPositionsResponseBody } from "@venue/api/rest/PublicPositions"
import { Accounts } from "@venue/auth/session/Accounts"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { AccountId } from "@venue/domain/AccountId"
import { Profiles } from "@venue/storage/access/Profiles"
import { Cache, Effect, Exit, Option } from "effect"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"

export const layer = group(
  Api,
  "publicPositions",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const accounts = yield* Accounts
    const profiles = yield* Profiles
    const desks = yield* DeskClient
    const { instruments } = yield* VenueSettings
    const refusals = yield* apiProblems

    /** Returns the body for an account, or undefined if the account is unknown or private. */
    const bodyOf = Effect.fnUntraced(function* (accountId: AccountId) {
      const owner = yield* accounts.ownerOf(accountId)
      if (Option.isNone(owner)) return undefined
      const userId = owner.value
      const { avatarUrl, isPublic, username } = yield* profiles.find(userId)
      if (!isPublic) return undefined
      const { holdings } = yield* desks.summary({ userId, accountId, cost: noCost })
      return {
        $schema: schemaUri(baseUrl, "PublicPositionsResponseBody"),
        account: {
          account_id: accountId,
          user_id: userId,
          is_public: true,
          ...(username === null ? {} : { username }),
          ...(avatarUrl === null ? {} : { avatar_url: avatarUrl })
        },
        positions: holdings
          .filter(({ quantityLots }) => quantityLots !== 0)
          .map((holding) => positionPublic(instruments.get(holding.symbol)!, holding))
      } satisfies PublicPositionsResponseBody
    })
    const cache = yield* Cache.makeWith(bodyOf, {
      capacity: maxCached,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? maxAge : 0)
    })
    return handlers.handle(
      "publicPositions",
      Effect.fnUntraced(
        function* ({ params }) {
          const body = yield* Cache.get(cache, AccountId.make(params.account_id.toLowerCase()))
          return body === undefined ? yield* refusals.accountNotPublic() : body
        },
        Effect.catchTags({
          DatabaseUnavailable: () => Effect.fail(refusals.draining()),
          Unavailable: () => Effect.fail(refusals.draining()),
          // Cannot occur, because the desk charges nothing for this call.
          RateLimited: () => Effect.fail(refusals.draining())
        })
      )
    )
  })
)

/** Maximum age of a cached response. Public requests therefore reach a desk at most once a second for each account. */
const maxAge = "1 second"
const maxCached = 10_000
