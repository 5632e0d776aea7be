/** Handles `POST` and `GET /user/builder-code`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import * as Body from "@venue/api/rest/BuilderCode"
import { Caller } from "@venue/api/rest/Caller"
import { Audit } from "@venue/storage/access/Audit"
import { type BuilderCode, BuilderCodes, type NewBuilderCode } from "@venue/storage/access/BuilderCodes"
import { Transaction } from "@venue/postgres/Transaction"
import { Effect, Option, Schedule } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { HttpServerResponse } from "effect/http"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import * as BuilderAppointment from "../BuilderAppointment.ts"
import { group } from "../http/Endpoints.ts"
import * as BrandedBody from "./BrandedBody.ts"

export interface BuilderCodeOptions {
  readonly brand: string
  /** True if new codes stay inactive until the operator activates them; otherwise new codes are active at once. */
  readonly areReviewed: boolean
}

/** Retries while the owner's desk moves. After `within`, the response is sent without waiting for the desk. */
const retries = { schedule: Schedule.spaced("200 millis") }
const within = "3 seconds"

export const layer = ({ areReviewed, brand }: BuilderCodeOptions) =>
  group(
    Api,
    "builderCode",
    Effect.fnUntraced(function* (handlers) {
      const baseUrl = yield* ApiBaseUrl
      const audit = yield* Audit
      const codes = yield* BuilderCodes
      const register = yield* BuilderAppointment.registration
      const random = yield* SecureRandom.SecureRandom
      const transaction = yield* Transaction
      const refusals = yield* apiProblems
      const read = BrandedBody.make(brand, refusals, {
        schema: Body.CreateBuilderCodeRequestBody,
        members: Body.brandedMembers
      })
      // Sent without a schema, because some members carry the operator's prefix.
      const answer = (code: Parameters<typeof Body.builderCodeBody>[1], status: number) =>
        HttpServerResponse.jsonUnsafe(
          { $schema: schemaUri(baseUrl, "BuilderCodeBody"), ...Body.builderCodeBody(brand, code) },
          { status }
        )

      /**
       * Registers the code at its owner's desk. If the desk does not respond, `GET /user/builder-code` and the first
       * use of the stored code retry this.
       */
      const registered = (code: BuilderCode) =>
        code.active
          ? register(code).pipe(
              Effect.retry(retries),
              Effect.timeout(within),
              Effect.catch(() => Effect.logWarning("a builder code could not be registered at its owner's desk"))
            )
          : Effect.void

      /** Takes a parsed body, because waiting for a slow client's body here would hold a database connection. */
      const create = Effect.fnUntraced(function* ({ builderCode, userId, ...share }: NewBuilderCode) {
        const code = yield* codes.create({ ...share, userId, builderCode })
        yield* audit.record({
          action: "builder_code_created",
          actor: userId,
          subject: userId,
          facts: { builderCode, ...share }
        })
        return code
      }, transaction.run)

      return handlers
        .handleRaw(
          "createBuilderCode",
          Effect.fnUntraced(
            function* ({ request }) {
              const { userId } = yield* Caller
              const share = Body.feeShareOf(yield* read(request))
              const builderCode = yield* random.uuidV4()
              const code = yield* create({ ...share, userId, builderCode, active: !areReviewed })
              yield* registered(code)
              return answer(code, 201)
            },
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
              yield* registered(code.value)
              return answer(code.value, 200)
            },
            Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
          )
        )
    })
  )
