/** Handles `GET` and `PATCH /user/profile`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { Caller } from "@venue/api/rest/Caller"
import { type Profile, Profiles } from "@venue/storage/access/Profiles"
import { Effect } from "effect"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"

export const layer = group(
  Api,
  "profile",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const profiles = yield* Profiles
    const refusals = yield* apiProblems
    const bodyOf = ({ avatarUrl, isPublic, username }: Profile) => ({
      $schema: schemaUri(baseUrl, "ProfileBody"),
      username,
      avatar_url: avatarUrl,
      is_public: isPublic
    })

    return handlers
      .handle(
        "profile",
        Effect.fnUntraced(
          function* () {
            return bodyOf(yield* profiles.find((yield* Caller).userId))
          },
          Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
        )
      )
      .handle(
        "changeProfile",
        Effect.fnUntraced(
          function* ({ payload: { avatar_url, is_public, username } }) {
            const { userId } = yield* Caller
            const changed = yield* profiles.change(userId, {
              ...(username === undefined ? {} : { username }),
              ...(avatar_url === undefined ? {} : { avatarUrl: avatar_url }),
              ...(is_public === undefined ? {} : { isPublic: is_public })
            })
            return bodyOf(changed)
          },
          Effect.catchTags({
            UsernameTaken: ({ username }) => Effect.fail(refusals.usernameTaken(username)),
            DatabaseUnavailable: () => Effect.fail(refusals.draining())
          })
        )
      )
  })
)
