/** Answers `POST` and `GET /user/builder-code`. */
import { problems, schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { builderCodeBody, feeShareOf } from "@venue/api/rest/BuilderCode"
import { Caller } from "@venue/api/rest/Caller"
import { Audit } from "@venue/storage/access/Audit"
import { BuilderCodes } from "@venue/storage/access/BuilderCodes"
import { Transaction } from "@venue/postgres/Transaction"
import { Effect, Option } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { group } from "../http/Endpoints.ts"

export const layer = (baseUrl: string) =>
  group(
    Api,
    "builderCode",
    Effect.fnUntraced(function* (handlers) {
      const audit = yield* Audit
      const codes = yield* BuilderCodes
      const random = yield* SecureRandom.SecureRandom
      const transaction = yield* Transaction
      const refusals = problems(baseUrl)
      const $schema = schemaUri(baseUrl, "BuilderCodeBody")

      return handlers
        .handle(
          "createBuilderCode",
          Effect.fnUntraced(
            function* ({ payload }) {
              const { userId } = yield* Caller
              const share = feeShareOf(payload)
              const code = yield* codes.create({ ...share, userId, builderCode: yield* random.uuidV4() })
              const { builderCode } = code
              yield* audit.record({
                action: "builder_code_created",
                actor: userId,
                subject: userId,
                facts: { builderCode, ...share }
              })
              return { $schema, ...builderCodeBody(code) }
            },
            transaction.run,
            Effect.catchTags({
              BuilderCodeExists: () => Effect.fail(refusals.builderCodeExists()),
              DatabaseUnavailable: () => Effect.fail(refusals.draining())
            })
          )
        )
        .handle(
          "builderCode",
          Effect.fnUntraced(
            function* () {
              const { userId } = yield* Caller
              const code = yield* codes.ofUser(userId)
              if (Option.isNone(code)) return yield* refusals.noBuilderCode()
              return { $schema, ...builderCodeBody(code.value) }
            },
            Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
          )
        )
    })
  )
