/** Receives the bank's webhooks and wakes the bank rail, which then reads the changes from the bank itself. */
import { RailClient } from "@venue/cluster/clients/RailClient"
import { BankWebhooks } from "@venue/providers/rails/bank/BankWebhooks"
import { Effect, Layer, type Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ApiBaseUrl } from "../http/ApiBaseUrl.ts"
import type { Route } from "../http/Gate.ts"
import { refusal } from "../http/Refusal.ts"

const path = "/provider/bank"

export const routes: ReadonlyArray<Route> = [{ method: "POST", path }]

/** Verifies the signature over the raw body, so no earlier handler is allowed to parse the body. */
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
                  Effect.logWarning("rejected a webhook from the bank", reason),
                  refusal(baseUrl, 401, "credentials-not-accepted")
                ),
              // The gate responds to a request whose body cannot be read.
              HttpServerError: Effect.die
            })
          )
        )
      )
    })
  ).pipe(Layer.provide(BankWebhooks.layer(secret)))

/** Wakes the rail. A failure is only logged, because the rail also polls the bank. */
const wake = (rails: RailClient["Service"]) =>
  Effect.catch(rails.wake("BANK"), () =>
    Effect.logWarning("could not trigger a poll of the bank rail; the next regular poll reads the event")
  )
