/** CAPTCHA verification by Turnstile, hCaptcha, or a fixed test token. */
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { hiding, refusalOf, statusReason, textOf } from "./HttpAnswer.ts"

/** The token is invalid, expired or already used, so the user must solve a new puzzle. */
export class CaptchaRefused extends Schema.TaggedError<CaptchaRefused>()("CaptchaRefused", {}) {}

/** The provider gave no verdict. The caller treats the puzzle as unsolved. */
export class CaptchaUnavailable extends Schema.TaggedError<CaptchaUnavailable>()("CaptchaUnavailable", {
  fault: Schema.Literals(["timeout", "no_answer", "settings"]),
  /** The provider's message, without the secret and the token of the request. */
  detail: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    return `the CAPTCHA could not be checked (${this.fault})${this.detail === undefined ? "" : `: ${this.detail}`}`
  }
}

export interface Settings {
  /** Returns the secret in force. */
  readonly secret: () => Redacted.Redacted
  /** Replaces the provider's URL. */
  readonly url?: string
}

export class Captcha extends Context.Service<
  Captcha,
  {
    /**
     * Verifies a token once, with a deadline of 5 s. `clientAddress` is the IP address from which the puzzle was
     * solved.
     */
    readonly verify: (
      token: Redacted.Redacted,
      clientAddress: string
    ) => Effect.Effect<void, CaptchaRefused | CaptchaUnavailable>
  }
>()("@venue/providers/Captcha") {
  static readonly layerTurnstile = (settings: Settings): Layer.Layer<Captcha, never, HttpClient.HttpClient> =>
    layerOf({ url: "https://challenges.cloudflare.com/turnstile/v0/siteverify", ...settings })

  static readonly layerHcaptcha = (settings: Settings): Layer.Layer<Captcha, never, HttpClient.HttpClient> =>
    layerOf({ url: "https://api.hcaptcha.com/siteverify", ...settings })

  /** Accepts only the token `solved`, any number of times. An empty `solved` means that every token is refused. */
  static readonly layerLocal = (solved: string): Layer.Layer<Captcha> =>
    Layer.succeed(
      Captcha,
      Captcha.of({
        verify: (token) =>
          solved !== "" && Redacted.value(token) === solved ? Effect.void : Effect.fail(new CaptchaRefused())
      })
    )
}

const deadline = "5 seconds"

const Answer = Schema.Struct({
  success: Schema.Boolean,
  "error-codes": Schema.optional(Schema.Array(Schema.String))
})

/** Codes for a fault in the token. All other codes are faults in the venue or the provider. */
const aboutToken = new Set([
  "missing-input-response",
  "invalid-input-response",
  "timeout-or-duplicate",
  "expired-input-response",
  "already-seen-response",
  "invalid-or-already-seen-response"
])

const layerOf = ({ secret, url }: Required<Settings>): Layer.Layer<Captcha, never, HttpClient.HttpClient> =>
  Layer.effect(
    Captcha,
    Effect.map(HttpClient.HttpClient, (client) => {
      const ask = (token: Redacted.Redacted, clientAddress: string) =>
        HttpClientRequest.post(url).pipe(
          HttpClientRequest.bodyUrlParams({
            secret: Redacted.value(secret()),
            response: Redacted.value(token),
            remoteip: clientAddress
          }),
          client.execute,
          Effect.flatMap((response) =>
            Effect.map(textOf(response, maxBytes), (text) => ({ status: response.status, text }))
          ),
          Effect.timeout(deadline),
          Effect.catchTags({
            AnswerTooLarge: () => unavailable("no_answer"),
            HttpClientError: () => unavailable("no_answer"),
            TimeoutError: () => unavailable("timeout")
          }),
          // Only a 2xx status can be a success. Codes in the body identify a refusal, whatever the status.
          Effect.flatMap(({ status, text }) => {
            const hide = hiding(url, Redacted.value(secret()), Redacted.value(token))
            const unknown = unavailable("no_answer", statusReason(status, refusalOf(text, hide)))
            const isAccepted = status >= 200 && status < 300
            return decodeAnswer(text).pipe(
              Effect.catch(() => unknown),
              Effect.filterOrElse(
                ({ "error-codes": codes = [], success }) =>
                  isAccepted || (!success && (status < 500 || codes.length > 0)),
                () => unknown
              )
            )
          })
        )
      return Captcha.of({
        verify: Effect.fn("Captcha.verify")(function* (token, clientAddress) {
          if (Redacted.value(token) === "") return yield* new CaptchaRefused()
          const { success, "error-codes": codes = [] } = yield* ask(token, clientAddress)
          if (success) return
          if (codes.every((code) => aboutToken.has(code))) return yield* new CaptchaRefused()
          return yield* unavailable("settings", codes.filter((code) => /^[a-z-]{1,60}$/.test(code)).join(", "))
        })
      })
    })
  )

const unavailable = (fault: CaptchaUnavailable["fault"], detail?: string) =>
  Effect.fail(new CaptchaUnavailable({ fault, ...(detail === undefined || detail === "" ? {} : { detail }) }))

const decodeAnswer = Schema.decodeUnknownEffect(Schema.fromJsonString(Answer))
const maxBytes = 65_536
