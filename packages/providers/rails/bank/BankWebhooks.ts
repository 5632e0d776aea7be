/** The bank says that something happened. What happened is asked of the bank itself: a message says only when to ask. */
import { Clock, Context, Effect, Layer, type Redacted } from "effect"
import * as StandardWebhook from "../../StandardWebhook.ts"

export class BankWebhooks extends Context.Service<
  BankWebhooks,
  {
    /**
     * Whether the message is a new one; it is refused when it is not the bank's, or stale. A message that came before is
     * no news, and no fault of the bank's either: it sends again what it got no answer to.
     */
    readonly hear: (
      headers: Readonly<Record<string, string | undefined>>,
      body: string
    ) => Effect.Effect<boolean, StandardWebhook.WebhookRefused>
  }
>()("@venue/providers/BankWebhooks") {
  /** Remembers messages in this process for as long as they are good. Elsewhere one wakes a rail once more, to no harm. */
  static readonly layer = (secret: Redacted.Redacted): Layer.Layer<BankWebhooks> =>
    Layer.sync(BankWebhooks, () => {
      const forgottenAtMillis = new Map<string, number>()
      return BankWebhooks.of({
        hear: Effect.fn("BankWebhooks.hear")(function* (headers, body) {
          const id = yield* StandardWebhook.verify(secret, headers, body)
          const now = yield* Clock.currentTimeMillis
          // The oldest are the first of the map.
          for (const [known, at] of forgottenAtMillis) {
            if (at > now && forgottenAtMillis.size < maxRemembered) break
            forgottenAtMillis.delete(known)
          }
          if (forgottenAtMillis.has(id)) return false
          // A message may be dated as far ahead as it may be late.
          forgottenAtMillis.set(id, now + 2 * StandardWebhook.goodForMillis)
          return true
        })
      })
    })
}

const maxRemembered = 10_000
