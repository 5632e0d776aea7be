/** Tests of the sign-in page with a CAPTCHA, in a real browser, with a local CAPTCHA provider. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { CaptchaProvider, expire, fail, appearance, offered, solve, solveAhead } from "./CaptchaProvider.ts"
import * as Chromium from "./Chromium.ts"
import { overflow, unreadable } from "./Looks.ts"
import { callback, enter, focused, heading, press, status } from "./Person.ts"
import { Site } from "./Site.ts"
import * as Wallet from "./Wallet.ts"

const always = Layer.provideMerge(Site.layerWithCaptcha("always"), CaptchaProvider.layer("turnstile"))
const risk = Layer.provideMerge(Site.layerWithCaptcha("risk"), CaptchaProvider.layer("hcaptcha"))

describe.skipIf(!Chromium.isHere)("sign-in page with CAPTCHA always on", () => {
  it.layer(always, { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it.effect("signs in and approves an application after the CAPTCHA is solved", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const { judged, tokens } = yield* CaptchaProvider
        const url = yield* site.authorization({})
        yield* site.visit({ url, wallets: [Wallet.make()] }, async (page) => {
          await solveAhead(page)
          await enter(page)
          await heading(page, /use your account\?$/)
          assert.isFalse(await page.getByRole("heading", { name: "Confirm that you are human" }).isVisible())
          await press(page, "Approve")
          await page.waitForURL(callback)
          assert.match(new URL(page.url()).searchParams.get("code") ?? "", /^[\w-]{43}$/)
        })
        assert.deepStrictEqual(judged, tokens.slice(-1))
      })
    )

    it.effect(
      "moves the focus to the CAPTCHA after the signature, and does not request a second signature afterwards",
      () =>
        Effect.gen(function* () {
          const site = yield* Site
          const wallet = Wallet.make()
          yield* site.visit({ wallets: [wallet] }, async (page) => {
            await offered(page)
            await page.keyboard.press("Tab")
            await page.keyboard.press("Enter")
            await status(page, "Now confirm that you are human.")
            assert.strictEqual(await focused(page), "Confirm that you are human")
            assert.strictEqual(await page.getByRole("region", { name: "Confirm that you are human" }).count(), 1)
            await page.keyboard.press("Tab")
            await page.keyboard.press("Enter")
            await heading(page, "You are signed in")
            assert.strictEqual(await focused(page), "You are signed in")
          })
          assert.strictEqual(wallet.shown.length, 1)
        })
    )

    it.effect("rejects a used CAPTCHA token and shows a new widget", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const provider = yield* CaptchaProvider
        yield* site.visit({ wallets: [Wallet.make()] }, async (page) => {
          await solveAhead(page)
          await provider.spend(provider.tokens.at(-1)!)
          await enter(page)
          await status(page, "The check that you are human has expired or was already used.")
          await offered(page)
          await solveAhead(page)
          await enter(page)
          await heading(page, "You are signed in")
          await press(page, "Sign out")
          await status(page, "You are signed out.")
          await offered(page)
        })
        assert.deepStrictEqual(provider.judged.slice(-3), [
          provider.tokens.at(-2)!,
          provider.tokens.at(-2)!,
          provider.tokens.at(-1)!
        ])
      })
    )

    it.effect("after a sign-in that failed for another reason, requires a new CAPTCHA token", () =>
      Effect.gen(function* () {
        const site = yield* Site
        let isMisread = true
        const misread = (message: string) => (isMisread ? `${message} ` : message)
        yield* site.visit({ wallets: [Wallet.make({ misread })] }, async (page) => {
          await solveAhead(page)
          await enter(page)
          await status(page, "The signed message was not accepted.")
          isMisread = false
          await offered(page)
          await enter(page)
          await status(page, "Now confirm that you are human.")
          await solve(page)
          await heading(page, "You are signed in")
        })
      })
    )

    it.effect("restarts an expired CAPTCHA widget and never sends the expired token", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const { judged, tokens } = yield* CaptchaProvider
        const judgedBefore = judged.length
        yield* site.visit({ wallets: [Wallet.make()] }, async (page) => {
          await solveAhead(page)
          await expire(page)
          await offered(page)
          await enter(page)
          await status(page, "Now confirm that you are human.")
          await solve(page)
          await heading(page, "You are signed in")
        })
        assert.deepStrictEqual(judged.slice(judgedBefore), tokens.slice(-1))
      })
    )

    it.effect("shows a message if the CAPTCHA script or widget fails, and lets the user retry", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const { widget } = yield* CaptchaProvider
        yield* site.visit({ wallets: [Wallet.make()] }, async (page) => {
          const script = `${widget.script}*`
          const message = "The check that you are human could not be loaded."
          await page.route(script, (route) => route.abort())
          await page.reload()
          await status(page, message)
          await page.unroute(script)
          await page.route(script, (route) => route.fulfill({ contentType: "text/javascript", body: "" }))
          await page.reload()
          await status(page, message)
          await page.unroute(script)
          await enter(page)
          await status(page, "Now confirm that you are human.")
          await fail(page)
          await status(page, message)
          await enter(page)
          await status(page, "Now confirm that you are human.")
          await solve(page)
          await heading(page, "You are signed in")
        })
      })
    )

    for (const colorScheme of ["light", "dark"] as const) {
      it.effect(`shows a CAPTCHA that fits narrow phones in ${colorScheme} colours`, () =>
        Effect.gen(function* () {
          const site = yield* Site
          for (const [width, size] of [
            [390, "normal"],
            [320, "compact"]
          ] as const) {
            yield* site.visit(
              { colorScheme, viewport: { width, height: 640 }, wallets: [Wallet.make()] },
              async (page) => {
                await offered(page)
                assert.strictEqual(appearance(page).get("theme"), colorScheme)
                assert.strictEqual(appearance(page).get("size"), size)
                assert.deepStrictEqual(await page.evaluate(unreadable), [])
                assert.strictEqual(await page.evaluate(overflow), 0)
              }
            )
          }
        })
      )
    }
  })
})

describe.skipIf(!Chromium.isHere)("sign-in page with CAPTCHA at risk", () => {
  it.layer(risk, { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it.effect("contacts the CAPTCHA provider only after failed sign-ins", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const provider = yield* CaptchaProvider
        let misreadings = 3
        const misread = (message: string) => (misreadings-- > 0 ? `${message} ` : message)
        const wallet = Wallet.make({ misread })
        yield* site.visit({ wallets: [wallet] }, async (page) => {
          for (const _ of [1, 2, 3]) {
            await enter(page)
            await status(page, "The signed message was not accepted.")
          }
          assert.deepStrictEqual(provider.requests, [])
          assert.isFalse(await page.getByRole("heading", { name: "Confirm that you are human" }).isVisible())
          await enter(page)
          await status(page, "Now confirm that you are human.")
          assert.strictEqual(await focused(page), "Confirm that you are human")
          await solve(page)
          await heading(page, "You are signed in")
        })
        assert.strictEqual(wallet.shown.length, 4)
        assert.deepStrictEqual(provider.requests, ["/api.js", "/widget", "/token", "/siteverify"])
      })
    )
  })
})
