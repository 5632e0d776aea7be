/** Hears that something has happened at the bank, and wakes the bank's rail, which asks what. */
import { RailClient } from "@venue/cluster/clients/RailClient"
import { BankWebhooks } from "@venue/providers/rails/bank/BankWebhooks"
import { Effect, Layer, type Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ApiBaseUrl } from "../http/ApiBaseUrl.ts"
import type { Route } from "../http/Gate.ts"
import { refusal } from "../http/Refusal.ts"

const path = "/provider/bank"

export const routes: ReadonlyArray<Route> = [{ method: "POST", path }]

/** What is signed is the body as it was sent, so it is read here and nowhere before. */
export const layer = (secret: Redacted.Redacted) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const baseUrl = yield* ApiBaseUrl
      const webhooks = yield* BankWebhooks
      const rails = yield* RailClient
      yield* router.add(
        "POST",
        path,
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
          request.text.pipe(
            Effect.flatMap((body) => webhooks.hear(request.headers, body)),
            Effect.flatMap((isNew) => (isNew ? wake(rails) : Effect.void)),
            Effect.as(HttpServerResponse.empty()),
            Effect.catchTags({
              WebhookRefused: ({ reason }) =>
                Effect.as(
                  Effect.logWarning("a webhook of the bank was refused", reason),
                  refusal(baseUrl, 401, "credentials-not-accepted")
                ),
              // For a body that cannot be read the gate answers.
              HttpServerError: Effect.die
            })
          )
        )
      )
    })
  ).pipe(Layer.provide(BankWebhooks.layer(secret)))

/** A rail that is not up looks by itself when it is. */
const wake = (rails: RailClient["Service"]) =>
  Effect.catch(rails.wake("BANK"), () => Effect.logWarning("the bank's rail was not woken, and looks by itself"))
