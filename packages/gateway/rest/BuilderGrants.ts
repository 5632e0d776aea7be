/** Handles `/user/builder-grants`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { builderGrant } from "@venue/api/rest/BuilderGrants"
import { Caller } from "@venue/api/rest/Caller"
import { Hmac } from "@venue/auth/access/Hmac"
import { UserClient } from "@venue/cluster/clients/UserClient"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { Effect } from "effect"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"

export const layer = group(
  Api,
  "builderGrants",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const hmac = yield* Hmac
    const keys = yield* ApiKeys
    const users = yield* UserClient
    const refusals = yield* apiProblems
    const unknown = (builderId: string) =>
      Effect.fail(refusals.notFound("grant for builder", builderId, "list the grants with GET /user/builder-grants"))
    const faults = { DatabaseUnavailable: () => Effect.fail(refusals.draining()) }

    return handlers
      .handle(
        "builderGrants",
        Effect.fnUntraced(function* () {
          const { userId } = yield* Caller
          const data = (yield* keys.ofBuilders(userId)).map(builderGrant)
          return { $schema: schemaUri(baseUrl, "BuilderGrantsResponseBody"), data, count: data.length }
        }, Effect.catchTags(faults))
      )
      .handle(
        "revokeBuilderGrant",
        Effect.fnUntraced(
          function* ({ params: { builder_id: builderId } }) {
            const { userId } = yield* Caller
            const held = yield* keys.ofBuilders(userId)
            const key = held.find(({ builderUserId }) => builderUserId === builderId.toLowerCase())
            if (key === undefined) return yield* unknown(builderId)
            const { publicKey } = key
            yield* users.ask(userId, (user) => user.RevokeKey({ userId, publicKey }))
            hmac.forget(publicKey)
          },
          // If the response is late, the revocation might still have succeeded.
          (answer, { params }) =>
            Effect.catchTags(answer, {
              ...faults,
              UnknownApiKey: () => unknown(params.builder_id),
              Unavailable: () => Effect.fail(refusals.deadlinePassed())
            })
        )
      )
  })
)
