/** Handles `/user/api-keys`. */
import { shown } from "@venue/api/Fault"
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { apiKey, type CreateApiKeyRequestBody, issuedApiKey } from "@venue/api/rest/ApiKeys"
import { Caller } from "@venue/api/rest/Caller"
import { Accounts } from "@venue/auth/session/Accounts"
import * as AllowList from "@venue/auth/access/AllowList"
import { Hmac } from "@venue/auth/access/Hmac"
import * as KeyPair from "@venue/auth/keys/KeyPair"
import { UserClient } from "@venue/cluster/clients/UserClient"
import { AccountId } from "@venue/domain/AccountId"
import { allAccounts, type UnknownApiKey } from "@venue/domain/ApiKey"
import { Selectable } from "@venue/domain/Permission"
import type { UserId } from "@venue/domain/UserId"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { Effect, Option } from "effect"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"

export const layer = group(
  Api,
  "apiKeys",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const hmac = yield* Hmac
    const keys = yield* ApiKeys
    const users = yield* UserClient
    const pair = yield* KeyPair.make
    const refusals = yield* apiProblems

    const unknown = ({ publicKey }: UnknownApiKey) => Effect.fail(refusals.unknownApiKey(publicKey))
    // The change might have been made.
    const unknownOutcome = () => Effect.fail(refusals.deadlinePassed())

    return handlers
      .handle(
        "list",
        Effect.fnUntraced(
          function* () {
            const { userId } = yield* Caller
            const own = yield* keys.ofUser(userId)
            return { $schema: schemaUri(baseUrl, "ApiKeysResponseBody"), data: own.map(apiKey), count: own.length }
          },
          Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
        )
      )
      .handle("create", yield* creating)
      .handle(
        "rename",
        Effect.fnUntraced(
          function* ({ params: { public_key: publicKey }, payload: { label } }) {
            const { userId } = yield* Caller
            yield* users.ask(userId, (user) => user.RenameKey({ userId, publicKey, label }))
          },
          Effect.catchTags({ UnknownApiKey: unknown, Unavailable: unknownOutcome })
        )
      )
      .handle(
        "revoke",
        Effect.fnUntraced(
          function* ({ params: { public_key: publicKey } }) {
            const { userId } = yield* Caller
            yield* users.ask(userId, (user) => user.RevokeKey({ userId, publicKey }))
            hmac.forget(publicKey)
          },
          Effect.catchTags({ UnknownApiKey: unknown, Unavailable: unknownOutcome })
        )
      )
      .handle(
        "rotate",
        Effect.fnUntraced(
          function* ({ params: { public_key: publicKey } }) {
            const { userId } = yield* Caller
            const next = yield* pair
            const issued = yield* users.ask(userId, (user) => user.RotateKey({ userId, publicKey, next }))
            hmac.forget(publicKey)
            return { $schema: schemaUri(baseUrl, "IssuedApiKey"), ...issuedApiKey(issued, next.secret) }
          },
          Effect.catchTags({ UnknownApiKey: unknown, Unavailable: unknownOutcome })
        )
      )
  })
)

interface Creation {
  readonly payload: typeof CreateApiKeyRequestBody.Type
}

/** Creates a key for the caller's own accounts, with permissions that users are allowed to grant. */
const creating = Effect.gen(function* () {
  const baseUrl = yield* ApiBaseUrl
  const accounts = yield* Accounts
  const users = yield* UserClient
  const pair = yield* KeyPair.make
  const refusals = yield* apiProblems

  const denial = Effect.fnUntraced(function* (userId: UserId, scope: string, permissions: ReadonlyArray<string>) {
    const reserved = permissions.filter((name) => !selectable.has(name))
    if (reserved.length > 0) {
      return `A user cannot grant the permission ${reserved.join(" or ")}; choose from ${[...selectable].join(", ")}.`
    }
    const isOwn = scope === allAccounts || Option.contains(yield* accounts.ownerOf(AccountId.make(scope)), userId)
    return isOwn
      ? undefined
      : `A key's scope must be ${allAccounts} or the id of one of the user's accounts; choose one of these values.`
  })

  return Effect.fnUntraced(
    function* ({ payload: { allowed_addresses = [], label, permissions: requested, scope: given } }: Creation) {
      const { userId } = yield* Caller
      const scope = given.toLowerCase()
      const permissions = [...new Set(requested)]
      const invalidIndex = allowed_addresses.findIndex((entry) => !AllowList.isNetwork(entry))
      if (invalidIndex !== -1) {
        const location = `body.allowed_addresses.${invalidIndex}`
        return yield* refusals.unfit(
          location,
          "Expected an IP address or a network in CIDR notation",
          shown(allowed_addresses[invalidIndex])
        )
      }
      const reason = yield* denial(userId, scope, permissions)
      if (reason !== undefined) return yield* refusals.notPermitted(reason)
      const next = yield* pair
      const issued = yield* users.ask(userId, (user) =>
        user.CreateKey({ userId, pair: next, label, permissions, scope, allowedAddresses: allowed_addresses })
      )
      return { $schema: schemaUri(baseUrl, "IssuedApiKey"), ...issuedApiKey(issued, next.secret) }
    },
    Effect.catchTags({
      TooManyApiKeys: ({ limit }) => Effect.fail(refusals.tooManyApiKeys(limit)),
      DatabaseUnavailable: () => Effect.fail(refusals.draining()),
      // The key might have been created.
      Unavailable: () => Effect.fail(refusals.deadlinePassed())
    })
  )
})

const selectable: ReadonlySet<string> = new Set(Selectable.literals)
