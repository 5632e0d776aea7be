/** Tests of the sign-in page's files as served. */
import * as Pages from "@venue/gateway/auth/Pages"
import * as HttpListener from "@venue/gateway/http/HttpListener"
import * as CaptchaWidget from "@venue/providers/CaptchaWidget"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { call } from "../gateway/rest/RestClient.ts"

const options = {
  serviceName: `A "Venue" <script>alert('&')</script>`,
  clientKey: "pk_test",
  issuer: "https://auth.venue.example/auth/v1"
}

const servedWith = (captcha: Pick<Pages.PagesOptions, "captcha">) =>
  Effect.map(
    HttpListener.listen({ what: "the pages", host: "127.0.0.1", port: 0 }, () =>
      Pages.make({ ...options, ...captcha })
    ),
    ({ url }) =>
      (path: string) =>
        call(`${url}/sign-in${path}`)
  )
const served = servedWith({})

const files = ["", "?authorization_id=A1", "/SignIn.css", "/SignIn.js", "/Service.js", "/Wallets.js", "/Captcha.js"]

it.effect("every file of the sign-in page forbids foreign scripts, embedding in frames, referrers and caching", () =>
  Effect.gen(function* () {
    const get = yield* served
    for (const path of files) {
      const { headers, status } = yield* get(path)
      assert.strictEqual(status, 200)
      assert.strictEqual(
        headers.get("content-security-policy"),
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' https:; " +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
      )
      assert.strictEqual(headers.get("x-frame-options"), "DENY")
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
      assert.strictEqual(headers.get("cache-control"), "no-store")
      assert.isNull(headers.get("set-cookie"))
      assert.isNull(headers.get("access-control-allow-origin"))
    }
  })
)

it.effect("a sign-in page with a CAPTCHA also allows the CAPTCHA provider's sources", () =>
  Effect.gen(function* () {
    const hcaptcha = "https://hcaptcha.com https://*.hcaptcha.com"
    const policies = {
      turnstile:
        "script-src 'self' https://challenges.cloudflare.com; style-src 'self'; connect-src 'self'; " +
        "img-src 'self' https:; frame-src https://challenges.cloudflare.com; ",
      hcaptcha:
        `script-src 'self' ${hcaptcha}; style-src 'self' ${hcaptcha}; connect-src 'self' ${hcaptcha}; ` +
        `img-src 'self' https:; frame-src ${hcaptcha}; `
    }
    for (const provider of ["turnstile", "hcaptcha"] as const) {
      const get = yield* servedWith({ captcha: { ...CaptchaWidget.make(provider, `"key"`), atOnce: true } })
      for (const path of files) {
        assert.strictEqual(
          (yield* get(path)).headers.get("content-security-policy"),
          `default-src 'none'; ${policies[provider]}base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
        )
      }
      assert.include((yield* get("")).text, `data-captcha-site-key="&#34;key&#34;"`)
    }
  })
)

it.effect("escapes markup in the settings that the sign-in page shows", () =>
  Effect.gen(function* () {
    const get = yield* served
    const { headers, text } = yield* get("")
    assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
    assert.include(text, `data-uri="https://auth.venue.example/sign-in"`)
    assert.include(
      text,
      `data-service-name="A &#34;Venue&#34; &#60;script&#62;alert(&#39;&#38;&#39;)&#60;/script&#62;"`
    )
    assert.notMatch(text, /<script>|\{\{/)
  })
)

it.effect("serves only the files that belong to the sign-in page", () =>
  Effect.gen(function* () {
    const get = yield* served
    for (const path of ["/SignIn.html", "/..%2fPages.ts", "/pages/SignIn.js", "/sign-in"]) {
      assert.strictEqual((yield* get(path)).status, 404)
    }
  })
)

it.effect("returns a wallet address with its checksum, and the server's time", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-03-01T12:00:00Z"))
    const get = yield* served
    const address = "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A"
    for (const spelling of [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`]) {
      const { body, headers, status } = yield* get(`/address?address=${spelling}`)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, { address, now: "2026-03-01T12:00:00.000Z" })
      assert.strictEqual(headers.get("cache-control"), "no-store")
    }
  })
)

it.effect("refuses a malformed wallet address", () =>
  Effect.gen(function* () {
    const get = yield* served
    const digits = "19e7e376e7c213b7e7e7e46cc70a5dd086daff2a"
    const wrong = [`0X${digits}`, digits, `0x${digits}0`, `0x${digits.slice(1)}`, `0x${"0".repeat(40)}`]
    for (const address of ["", ...wrong, `0x${digits.replace("e7e3", "E7e3")}`, "%00", "%ff"]) {
      const { body, status } = yield* get(`/address?address=${address}`)
      assert.strictEqual(status, 400)
      assert.strictEqual(body.error_code, "validation_failed")
    }
    assert.strictEqual((yield* get("/address")).status, 400)
  })
)
