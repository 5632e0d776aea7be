/** Handles `GET /builder/web3/message` and `POST /builder/web3/api-key`. */
import type { Problems } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { ActiveBuilder, Builder } from "@venue/api/rest/BuilderWallet"
import { Caller } from "@venue/api/rest/Caller"
import { BuilderRegistration } from "@venue/auth/wallet/BuilderRegistration"
import { textFault } from "@venue/auth/wallet/WalletFault"
import * as RestBuckets from "@venue/cluster/clients/RestBuckets"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import * as RateLimits from "@venue/domain/RateLimits"
import { restRates } from "@venue/domain/RestRates"
import { Clock, Effect, Layer, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { type ClientAddress, network } from "../http/ClientAddress.ts"
import * as Refusal from "../http/Refusal.ts"

export interface BuilderWalletOptions {
  readonly addressOf: ClientAddress
}

export const layer = ({ addressOf }: BuilderWalletOptions) =>
  group(
    Api,
    "builderWallet",
    Effect.fnUntraced(function* (handlers) {
      const registration = yield* BuilderRegistration
      const refusals = yield* apiProblems
      const clock = yield* Clock.Clock
      const { rateLimits } = yield* VenueSettings
      /** Limit of messages for each address, the same as the limit of wallets for each builder. */
      const limits = RateLimits.make({
        ...restRates.wallets,
        enabled: rateLimits,
        nowMillis: () => clock.currentTimeMillisUnsafe()
      })
      const unfit = { address: refusals.invalidWalletAddress, builder_code: refusals.invalidBuilderCode }

      return handlers
        .handle(
          "builderMessage",
          Effect.fnUntraced(
            function* ({ query: { address, builder_code } }) {
              const request = yield* HttpServerRequest.HttpServerRequest
              yield* Refusal.spend(refusals, limits, network(addressOf(request)), 1)
              return { message: yield* registration.message(address, builder_code) }
            },
            (answer, { query }) =>
              Effect.catchTag(answer, "UnfitForMessage", ({ member }) => Effect.fail(unfit[member](query[member])))
          )
        )
        .handle(
          "builderKey",
          Effect.fnUntraced(
            function* ({ payload }) {
              const registered = registration.register(yield* Builder, payload)
              const { publicKey, secretKey, userId } = yield* Effect.catchTag(
                registered,
                "MalformedBuilderMessage",
                ({ fault }) => malformed(refusals, payload.message, fault)
              )
              return {
                user_id: userId,
                account_id: userId,
                public_key: publicKey,
                secret_key: Redacted.value(secretKey)
              }
            },
            Effect.tapErrorTag("WalletAuthenticationFailed", ({ fault }) =>
              Effect.logInfo("a wallet message was refused", fault)
            ),
            Effect.catchTags({
              WalletAuthenticationFailed: () => Effect.fail(refusals.walletAuthenticationFailed()),
              DatabaseUnavailable: () => Effect.fail(refusals.keyNotIssued())
            })
          )
        )
    })
  ).pipe(Layer.provide(activeBuilder))

const activeBuilder = Layer.effect(
  ActiveBuilder,
  Effect.gen(function* () {
    const registration = yield* BuilderRegistration
    const refusals = yield* apiProblems
    const charge = yield* RestBuckets.make("wallets")
    return ActiveBuilder.of((answer) =>
      Effect.gen(function* () {
        const { userId } = yield* Caller
        yield* Refusal.unlessExceeded(refusals, yield* charge(userId, 1))
        const builder = yield* registration.builder(userId).pipe(
          Effect.catchTags({
            NoActiveBuilderCode: () => Effect.fail(refusals.noActiveBuilderCode()),
            BuilderUnnamed: () => Effect.fail(refusals.builderNotLoaded(unnamed)),
            DatabaseUnavailable: () => Effect.fail(refusals.builderNotLoaded(unread))
          })
        )
        return yield* Effect.provideService(answer, Builder, builder)
      })
    )
  })
)

const malformed = (refusals: Problems, message: string, fault: string) =>
  Effect.andThen(
    Effect.logInfo("a wallet message was refused", fault),
    Effect.fail(refusals.malformedWalletMessage(alteredTexts[fault] ?? `${textFault(message)}.`))
  )

const unnamed = "The builder has no username; set one first with PATCH /user/profile."
const unread = "The builder could not be loaded; try again later."

/** Error texts for valid EIP-4361 messages that differ from the issued message. */
const alteredTexts: Readonly<Record<string, string>> = {
  fields:
    "The message's fields differ from those that GET /builder/web3/message returned; sign that message unchanged.",
  statement: "The statement is for another builder code; get a message for this code and sign it unchanged."
}
