/** Webhooks from the bank. A message only triggers a poll, which reads the content from the bank. */
import { Clock, Context, Effect, Layer, type Redacted } from "effect"
import * as StandardWebhook from "../../StandardWebhook.ts"

export class BankWebhooks extends Context.Service<
  BankWebhooks,
  {
    /**
     * Returns true for a new message and fails for an unsigned or stale message. A repeat is not an error, because
     * banks resend messages that got no response.
     */
    readonly hear: (
      headers: Readonly<Record<string, string | undefined>>,
      body: string
    ) => Effect.Effect<boolean, StandardWebhook.WebhookRefused>
  }
>()("@venue/providers/BankWebhooks") {
  /**
   * Remembers message ids in this process while they are valid. A repeat that another process receives wakes the rail
   * once more, which is harmless.
   */
  static readonly layer = (secret: Redacted.Redacted): Layer.Layer<BankWebhooks> =>
    Layer.sync(BankWebhooks, () => {
      const forgottenAtMillis = new Map<string, number>()
      return BankWebhooks.of({
        hear: Effect.fn("BankWebhooks.hear")(function* (headers, body) {
          const id = yield* StandardWebhook.verify(secret, headers, body)
          const now = yield* Clock.currentTimeMillis
          // The map is ordered by age.
          for (const [known, at] of forgottenAtMillis) {
            if (at > now && forgottenAtMillis.size < maxRemembered) break
            forgottenAtMillis.delete(known)
          }
          if (forgottenAtMillis.has(id)) return false
          // A message's time can be as far in the future as in the past.
          forgottenAtMillis.set(id, now + 2 * StandardWebhook.goodForMillis)
          return true
        })
      })
    })
}

const maxRemembered = 10_000
