/** The sign-in page where the service asks for a CAPTCHA, in a real browser, with a provider on this machine. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { CaptchaProvider, expire, fail, looks, offered, solve, solveAhead } from "./CaptchaProvider.ts"
import * as Chromium from "./Chromium.ts"
import { overflow, unreadable } from "./Looks.ts"
import { callback, enter, focused, heading, press, said } from "./Person.ts"
import { Site } from "./Site.ts"
import * as Wallet from "./Wallet.ts"

const always = Layer.provideMerge(Site.layerWithCaptcha("always"), CaptchaProvider.layer("turnstile"))
const risk = Layer.provideMerge(Site.layerWithCaptcha("risk"), CaptchaProvider.layer("hcaptcha"))

describe.skipIf(!Chromium.isHere)("a sign-in page where each sign-in brings a CAPTCHA", () => {
  it.layer(always, { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it.effect("somebody solves it, signs in and lets an application in", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const { judged, tokens } = yield* CaptchaProvider
        const url = yield* site.authorization({})
        yield* site.visit({ url, wallets: [Wallet.make()] }, async (page) => {
          await solveAhead(page)
          await enter(page)
          await heading(page, /use your account\?$/)
          assert.isFalse(await page.getByRole("heading", { name: "Show that you are human" }).isVisible())
          await press(page, "Approve")
          await page.waitForURL(callback)
          assert.match(new URL(page.url()).searchParams.get("code") ?? "", /^[\w-]{43}$/)
        })
        assert.deepStrictEqual(judged, tokens.slice(-1))
      })
    )

    it.effect("whoever signs first, with keys alone, is led to it, and goes on with the same signature", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const wallet = Wallet.make()
        yield* site.visit({ wallets: [wallet] }, async (page) => {
          await offered(page)
          await page.keyboard.press("Tab")
          await page.keyboard.press("Enter")
          await said(page, "Now show that you are human.")
          assert.strictEqual(await focused(page), "Show that you are human")
          assert.strictEqual(await page.getByRole("region", { name: "Show that you are human" }).count(), 1)
          await page.keyboard.press("Tab")
          await page.keyboard.press("Enter")
          await heading(page, "You are signed in")
          assert.strictEqual(await focused(page), "You are signed in")
        })
        assert.strictEqual(wallet.shown.length, 1)
      })
    )

    it.effect("a token that was used is refused, and a new widget is there for the next try", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const provider = yield* CaptchaProvider
        yield* site.visit({ wallets: [Wallet.make()] }, async (page) => {
          await solveAhead(page)
          await provider.spend(provider.tokens.at(-1)!)
          await enter(page)
          await said(page, "The check that you are human was too long ago, or was used before.")
          await offered(page)
          await solveAhead(page)
          await enter(page)
          await heading(page, "You are signed in")
          await press(page, "Sign out")
          await said(page, "You are signed out.")
          await offered(page)
        })
        assert.deepStrictEqual(provider.judged.slice(-3), [
          provider.tokens.at(-2)!,
          provider.tokens.at(-2)!,
          provider.tokens.at(-1)!
        ])
      })
    )

    it.effect("a sign-in that is refused for something else has used its token up too", () =>
      Effect.gen(function* () {
        const site = yield* Site
        let isMisread = true
        const misread = (message: string) => (isMisread ? `${message} ` : message)
        yield* site.visit({ wallets: [Wallet.make({ misread })] }, async (page) => {
          await solveAhead(page)
          await enter(page)
          await said(page, "The signed message was not accepted.")
          isMisread = false
          await offered(page)
          await enter(page)
          await said(page, "Now show that you are human.")
          await solve(page)
          await heading(page, "You are signed in")
        })
      })
    )

    it.effect("one that expired starts anew, and is never sent", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const { judged, tokens } = yield* CaptchaProvider
        const judgedBefore = judged.length
        yield* site.visit({ wallets: [Wallet.make()] }, async (page) => {
          await solveAhead(page)
          await expire(page)
          await offered(page)
          await enter(page)
          await said(page, "Now show that you are human.")
          await solve(page)
          await heading(page, "You are signed in")
        })
        assert.deepStrictEqual(judged.slice(judgedBefore), tokens.slice(-1))
      })
    )

    it.effect("a script that does not come, and a widget that fails, are told of and tried again", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const { widget } = yield* CaptchaProvider
        yield* site.visit({ wallets: [Wallet.make()] }, async (page) => {
          const script = `${widget.script}*`
          const told = "The check that you are human could not be shown."
          await page.route(script, (route) => route.abort())
          await page.reload()
          await said(page, told)
          await page.unroute(script)
          await page.route(script, (route) => route.fulfill({ contentType: "text/javascript", body: "" }))
          await page.reload()
          await said(page, told)
          await page.unroute(script)
          await enter(page)
          await said(page, "Now show that you are human.")
          await fail(page)
          await said(page, told)
          await enter(page)
          await said(page, "Now show that you are human.")
          await solve(page)
          await heading(page, "You are signed in")
        })
      })
    )

    for (const colorScheme of ["light", "dark"] as const) {
      it.effect(`it fits narrow phones in ${colorScheme} colours`, () =>
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
                assert.strictEqual(looks(page).get("theme"), colorScheme)
                assert.strictEqual(looks(page).get("size"), size)
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

describe.skipIf(!Chromium.isHere)("a sign-in page where a CAPTCHA is asked for when there is a risk", () => {
  it.layer(risk, { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it.effect(
      "the provider is asked for nothing until sign-ins failed; then the same signature goes on with a token",
      () =>
        Effect.gen(function* () {
          const site = yield* Site
          const provider = yield* CaptchaProvider
          let misreadings = 3
          const misread = (message: string) => (misreadings-- > 0 ? `${message} ` : message)
          const wallet = Wallet.make({ misread })
          yield* site.visit({ wallets: [wallet] }, async (page) => {
            for (const _ of [1, 2, 3]) {
              await enter(page)
              await said(page, "The signed message was not accepted.")
            }
            assert.deepStrictEqual(provider.asked, [])
            assert.isFalse(await page.getByRole("heading", { name: "Show that you are human" }).isVisible())
            await enter(page)
            await said(page, "Now show that you are human.")
            assert.strictEqual(await focused(page), "Show that you are human")
            await solve(page)
            await heading(page, "You are signed in")
          })
          assert.strictEqual(wallet.shown.length, 4)
          assert.deepStrictEqual(provider.asked, ["/api.js", "/widget", "/token", "/siteverify"])
        })
    )
  })
})
