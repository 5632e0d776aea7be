import { Captcha, type Settings } from "@venue/providers/Captcha"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger, Redacted, type Scope } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import { listening, siteVerify } from "./SiteVerify.ts"

const secret = "s3cr3t-of-the-venue"
const solved = "solved-puzzle"
const address = "203.0.113.7"

const verify = (token: string) => Effect.flatMap(Captcha, ({ verify }) => verify(Redacted.make(token), address))

const contract = (name: string, captcha: Layer.Layer<Captcha>) =>
  describe(name, () => {
    it.effect("accepts a solved puzzle", () => verify(solved).pipe(Effect.provide(captcha)))

    it.effect("W15: refuses a missing token and a wrong token", () =>
      Effect.gen(function* () {
        for (const token of ["", "other", `${solved} `, "a&secret=b", "\ud800"]) {
          assert.strictEqual((yield* Effect.flip(verify(token)))._tag, "CaptchaRefused")
        }
        yield* verify(solved)
      }).pipe(Effect.provide(captcha))
    )
  })

type Real = (settings: Settings) => Layer.Layer<Captcha, never, HttpClient.HttpClient>

const at = (real: Real, url: Effect.Effect<string, never, Scope.Scope>, key = secret) =>
  Layer.unwrap(Effect.map(url, (url) => real({ secret: () => Redacted.make(key), url }))).pipe(
    Layer.provide(FetchHttpClient.layer)
  )

const overHttp = (name: string, real: Real, used: string) => {
  const provider = (asked?: (form: Readonly<Record<string, string>>) => void) =>
    siteVerify({ secret, solved: new Set([solved]), used, ...(asked === undefined ? {} : { asked }) })

  contract(name, at(real, provider()))

  describe(`${name} over HTTP`, () => {
    it.effect("sends the secret, the token and the IP address in one request", () =>
      Effect.gen(function* () {
        const forms: Array<unknown> = []
        yield* verify(solved).pipe(
          Effect.provide(
            at(
              real,
              provider((form) => forms.push(form))
            )
          )
        )
        assert.deepStrictEqual(forms, [{ secret, response: solved, remoteip: address }])
      })
    )

    it.effect("W15: refuses a token that was used before", () =>
      Effect.gen(function* () {
        yield* verify(solved)
        assert.strictEqual((yield* Effect.flip(verify(solved)))._tag, "CaptchaRefused")
      }).pipe(Effect.provide(at(real, provider())))
    )

    it.effect("W15: fails as unavailable if the CAPTCHA provider does not respond within 5 s", () =>
      Effect.gen(function* () {
        const asked = Deferred.makeUnsafe<void>()
        const silent = listening(() => Deferred.doneUnsafe(asked, Effect.void))
        const fiber = yield* Effect.forkChild(Effect.flip(verify(solved)).pipe(Effect.provide(at(real, silent))))
        yield* Deferred.await(asked)
        yield* TestClock.adjust("4999 millis")
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("1 millis")
        assert.deepInclude(yield* Fiber.join(fiber), { _tag: "CaptchaUnavailable", fault: "timeout" })
      })
    )

    const broken: ReadonlyArray<readonly [what: string, url: Effect.Effect<string, never, Scope.Scope>]> = [
      ["cannot be reached", Effect.scoped(listening(() => {}))],
      ["returns status 500", answering(500, `{ "success": true }`)],
      ["returns no JSON", answering(200, "<html>")],
      ["returns unexpected JSON", answering(200, `{ "success": "true" }`)],
      ["reports an internal error", answering(200, `{ "success": false, "error-codes": ["internal-error"] }`)]
    ]
    for (const [what, url] of broken) {
      it.effect(`W15: refuses every token if the provider ${what}`, () =>
        Effect.gen(function* () {
          const refused = yield* Effect.flip(verify(solved))
          assert.strictEqual(refused._tag, "CaptchaUnavailable")
          assert.isUndefined(refused.cause)
        }).pipe(Effect.provide(at(real, url)))
      )
    }

    it.effect("reports a rejected secret as a fault in the venue's settings, not as a refused token", () =>
      Effect.gen(function* () {
        const refused = yield* Effect.flip(verify(solved))
        assert.deepInclude(refused, { _tag: "CaptchaUnavailable", fault: "settings" })
        assert.match(String(refused), /settings\): [a-z-]*secret/)
      }).pipe(Effect.provide(at(real, provider(), "another secret")))
    )

    for (const status of [400, 422, 503])
      it.effect(`W15: a response with status ${status} can refuse a token but never accept one`, () =>
        Effect.gen(function* () {
          const used = answering(status, `{ "success": false, "error-codes": ["timeout-or-duplicate"] }`)
          const refused = yield* Effect.flip(verify(solved)).pipe(Effect.provide(at(real, used)))
          assert.strictEqual(refused._tag, "CaptchaRefused")
          const odd = yield* Effect.flip(verify(solved)).pipe(
            Effect.provide(at(real, answering(status, `{ "success": true }`)))
          )
          assert.strictEqual(odd._tag, "CaptchaUnavailable")
        })
      )

    it.effect("I46: omits the secret and the token from refusals and logs", () =>
      Effect.gen(function* () {
        const said: Array<unknown> = []
        const logs = Logger.layer([Logger.make((entry) => void said.push(entry))])
        for (const url of [provider(), ...broken.map(([, url]) => url)]) {
          const failed = Effect.exit(Effect.tapCause(verify("a wrong token"), Effect.logError))
          said.push(yield* failed.pipe(Effect.provide([at(real, url), logs])))
        }
        const text = inspect(said, { depth: Infinity, showHidden: true }) + JSON.stringify(said.map(String))
        assert.include(text, "CaptchaRefused")
        assert.include(text, "CaptchaUnavailable")
        assert.notInclude(text, secret)
        assert.notInclude(text, "a wrong token")
      })
    )
  })
}

function answering(status: number, body: string) {
  return listening((_, response) => {
    response.statusCode = status
    response.end(body)
  })
}

contract("the local CAPTCHA", Captcha.layerLocal(solved))

it.effect("W15: the local CAPTCHA refuses an empty token if no solved token is configured", () =>
  Effect.gen(function* () {
    assert.strictEqual((yield* Effect.flip(verify("")))._tag, "CaptchaRefused")
  }).pipe(Effect.provide(Captcha.layerLocal("")))
)
overHttp("Turnstile", Captcha.layerTurnstile, "timeout-or-duplicate")
overHttp("hCaptcha", Captcha.layerHcaptcha, "already-seen-response")
