/** Tests of the sign-in and consent page in a real browser, with the real service. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { serviceName } from "../gateway/auth/SignInPage.ts"
import * as Chromium from "./Chromium.ts"
import { overflow, unreadable } from "./Looks.ts"
import { callback, enter, focused, heading, press, status } from "./Person.ts"
import { Site } from "./Site.ts"
import * as Wallet from "./Wallet.ts"

/** Collects the access tokens that the page receives, newest first. */
const tokensOf = (page: Page): ReadonlyArray<Promise<string>> => {
  const tokens: Array<Promise<string>> = []
  page.on("response", (response) => {
    const isSession = /\/(token\?grant_type=web3|verify)$/.test(response.url())
    if (isSession && response.ok()) tokens.unshift(response.json().then(({ access_token }) => access_token))
  })
  return tokens
}

describe.skipIf(!Chromium.isHere)("the sign-in page", () => {
  it.layer(Site.layer, { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it.effect("signs in with a wallet, shows the wallet's address, and stores nothing in the browser", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const wallet = Wallet.make({ spelling: (address) => address.toLowerCase() })
        yield* site.visit({ wallets: [wallet] }, async (page, context) => {
          await enter(page)
          await heading(page, "You are signed in")
          assert.strictEqual(await focused(page), "You are signed in")
          await page.getByText(wallet.address).filter({ visible: true }).waitFor()
          assert.strictEqual(await page.evaluate("localStorage.length + sessionStorage.length"), 0)
          assert.deepStrictEqual(await context.cookies(), [])
        })
        const [message = ""] = wallet.shown
        const [, nonce, issuedAt] = /\nNonce: ([0-9a-f]{32})\nIssued At: (\S+Z)$/.exec(message) ?? []
        assert.strictEqual(
          message,
          `${new URL(site.url).host} wants you to sign in with your Ethereum account:\n${wallet.address}\n\n` +
            `Sign in to ${serviceName}\n\nURI: ${site.url}\nVersion: 1\nChain ID: 42161\n` +
            `Nonce: ${nonce}\nIssued At: ${issuedAt}`
        )
      })
    )

    it.effect("signs in within a wallet app's browser, even if the browser's clock is wrong", () =>
      Effect.gen(function* () {
        const site = yield* Site
        yield* site.visit({ wallets: [Wallet.make({ isUnannounced: true })] }, async (page) => {
          await page.clock.setFixedTime(new Date("2020-01-01T00:00:00Z"))
          await enter(page, "Browser wallet")
          await heading(page, "You are signed in")
        })
      })
    )

    it.effect("ends the session on the server when the user signs out", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const ended = yield* site.visit({ wallets: [Wallet.make()] }, async (page) => {
          const tokens = tokensOf(page)
          await enter(page)
          await heading(page, "You are signed in")
          await press(page, "Sign out")
          await status(page, "You are signed out.")
          assert.strictEqual(await focused(page), "Sign in")
          return tokens[0]!
        })
        assert.strictEqual(yield* site.refusal(ended), "session_not_found")
      })
    )

    it.effect("asks for a new sign-in after the session has ended elsewhere", () =>
      Effect.gen(function* () {
        const site = yield* Site
        yield* site.visit({ wallets: [Wallet.make()] }, async (page) => {
          const tokens = tokensOf(page)
          await enter(page)
          await heading(page, "You are signed in")
          await Effect.runPromise(site.signOut(await tokens[0]!))
          await press(page, "Sign out")
          await status(page, "You are signed out. Sign in again.")
          assert.strictEqual(await focused(page), "Sign in")
        })
      })
    )

    it.effect("shows a message if no wallet is found, and offers a wallet that appears later", () =>
      Effect.gen(function* () {
        const site = yield* Site
        yield* site.visit({}, async (page) => {
          await page.getByText("No wallet was found").waitFor()
          await page.evaluate("window.ethereum = { request() {} }; dispatchEvent(new Event('ethereum#initialized'))")
          await page.getByText("No wallet was found").waitFor({ state: "hidden" })
          await page.getByRole("button", { name: "Continue with Browser wallet" }).waitFor()
        })
      })
    )

    it.effect("requests one signature per click, even after the user has declined a request in the wallet", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const refusals = [4001, -32002, 4900]
        const wallet = Wallet.make({ refusal: () => refusals.shift() })
        yield* site.visit({ wallets: [wallet] }, async (page) => {
          await enter(page)
          await status(page, "You declined the request in your wallet.")
          assert.strictEqual(wallet.shown.length, 1)
          await enter(page)
          await status(page, "Your wallet already has a request open.")
          await enter(page)
          await status(page, "Your wallet failed to answer.")
          await enter(page)
          await heading(page, "You are signed in")
        })
        assert.strictEqual(new Set(wallet.shown).size, 4)
      })
    )

    it.effect("shows a message for a rejected signature, and does not sign the user in", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const other = Wallet.make({ misread: (message) => `${message} ` })
        const contract = Wallet.make({ name: "Contract", signatureForm: (signature) => `${signature}00` })
        yield* site.visit({ wallets: [other, contract] }, async (page) => {
          await enter(page)
          await status(page, "The signed message was not accepted.")
          await enter(page, "Contract")
          await status(page, "Contract wallets cannot sign in.")
          await page.route(/grant_type=web3/, (route) => route.abort())
          await enter(page)
          await status(page, "The service cannot be reached.")
          assert.isFalse(await page.getByRole("heading", { name: "You are signed in" }).isVisible())
        })
      })
    )

    it.effect("shows a message for each sign-in error that the service returns", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const answers: Array<readonly [number, string, string]> = [
          [400, "captcha_failed", "a check that you are human"],
          [400, "validation_failed", "could not read your wallet's response"],
          [401, "no_authorization", "not set up correctly"],
          [403, "user_banned", "This account is frozen."],
          [422, "web3_provider_disabled", "currently switched off"],
          [429, "over_request_rate_limit", "Try again in 17 seconds."],
          [500, "unexpected_failure", "Something went wrong."],
          [502, "<html>", "Something went wrong."]
        ]
        yield* site.visit({ wallets: [Wallet.make()] }, async (page) => {
          for (const [code, error_code, text] of answers) {
            const headers = code === 429 ? { "retry-after": "17" } : {}
            const body = error_code.startsWith("<") ? error_code : JSON.stringify({ code, error_code })
            await page.route(/grant_type=web3/, (route) => route.fulfill({ status: code, headers, body }), { times: 1 })
            await enter(page)
            await status(page, text)
          }
        })
      })
    )

    it.effect("asks a user with a second factor for a code before completing the sign-in", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const wallet = Wallet.make()
        const { code, recoveryCode, wrongCode } = yield* site.enrol(wallet)
        const url = yield* site.authorization({})
        yield* site.visit({ url, wallets: [wallet] }, async (page) => {
          await enter(page)
          await heading(page, "Second step")
          const field = page.getByLabel("Code")
          await field.fill(wrongCode)
          await page.keyboard.press("Enter")
          await status(page, "The code is wrong.")
          assert.strictEqual(await field.inputValue(), "")
          await field.fill(` ${code.slice(0, 3)} ${code.slice(3)}`)
          await page.keyboard.press("Enter")
          await heading(page, /use your account\?$/)
        })
        yield* site.visit({ wallets: [wallet] }, async (page) => {
          await enter(page)
          await page.getByLabel("Code").fill(recoveryCode)
          await press(page, "Continue")
          await heading(page, "You are signed in")
          await status(page, "You used a recovery code, which will not work again. You have 9 left.")
          await press(page, "Sign out")
          await enter(page)
          await page.getByLabel("Code").fill(recoveryCode)
          await press(page, "Continue")
          await status(page, "The code is wrong.")
          await press(page, "Cancel")
          await status(page, "You are signed out.")
        })
      })
    )

    it.effect("after the user approves an application, redirects with a code and ends the page's own session", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const name = "<img src=x onerror=alert(1)> & Co"
        const url = yield* site.authorization({ name, scope: "openid profile offline_access" })
        const ended = yield* site.visit({ url, wallets: [Wallet.make()] }, async (page) => {
          const tokens = tokensOf(page)
          await page.getByText("An application requests access to your account.").waitFor()
          await enter(page)
          await heading(page, `Let ${name} use your account?`)
          await page.getByText("rp.example", { exact: true }).waitFor()
          await page.getByText(`${name} will be able to act as you.`).waitFor()
          await page.locator("#logo").waitFor()
          const scopes = await page.locator("#scopes li").allInnerTexts()
          assert.deepStrictEqual(
            scopes.map((text) => text.split(/[:,]/)[0]),
            ["who you are", "your name and picture", "all of this while you are away"]
          )
          await press(page, "Approve")
          await page.waitForURL(callback)
          const back = new URL(page.url()).searchParams
          assert.match(back.get("code") ?? "", /^[\w-]{43}$/)
          assert.strictEqual(back.get("state"), "state of the application")
          assert.strictEqual(back.get("iss"), site.issuer)
          await page.goBack()
          await heading(page, "Sign in")
          assert.strictEqual(await page.getByText(name).filter({ visible: true }).count(), 0)
          return tokens[0]!
        })
        assert.strictEqual(yield* site.refusal(ended), "session_not_found")
      })
    )

    it.effect("redirects with access_denied after the user denies the request", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const url = yield* site.authorization({})
        yield* site.visit({ url, wallets: [Wallet.make()] }, async (page) => {
          await enter(page)
          await press(page, "Deny")
          await page.waitForURL(callback)
          const back = new URL(page.url()).searchParams
          assert.strictEqual(back.get("error"), "access_denied")
          assert.isNull(back.get("code"))
        })
      })
    )

    it.effect("redirects immediately if the user approved the application before", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const url = yield* site.authorization({})
        yield* site.visit({ url, wallets: [Wallet.make()] }, async (page) => {
          const body = JSON.stringify({ redirect_url: "https://rp.example/callback?code=remembered" })
          await page.route(/\/oauth\/authorizations\//, (route) => route.fulfill({ body }))
          await enter(page)
          await page.waitForURL(callback)
        })
      })
    )

    it.effect("cannot approve another user's request or an unknown request", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const url = yield* site.authorization({})
        yield* site.visit({ url, wallets: [Wallet.make()] }, async (page) => {
          await enter(page)
          await heading(page, /use your account\?$/)
        })
        for (const gone of [url, `${site.url}?authorization_id=${"x".repeat(32)}`, `${site.url}?authorization_id=`]) {
          yield* site.visit({ url: gone, wallets: [Wallet.make()] }, async (page) => {
            await enter(page)
            await status(page, "This request has expired, or belongs to another user.")
            assert.isFalse(await page.getByRole("button", { name: "Approve" }).isVisible())
            await press(page, "Sign out")
            await status(page, "You are signed out.")
          })
        }
      })
    )

    it.effect("does not open a javascript: URL that the service returns", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const url = yield* site.authorization({})
        yield* site.visit({ url, wallets: [Wallet.make()] }, async (page) => {
          const body = JSON.stringify({ redirect_url: "javascript:document.title='run'" })
          await page.route(/\/consent$/, (route) => route.fulfill({ body }))
          await enter(page)
          await press(page, "Approve")
          await status(page, "so it was not opened.")
          assert.notStrictEqual(await page.title(), "run")
        })
      })
    )

    it.effect("works with the keyboard alone, and reacts to no key until a button has the focus", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const url = yield* site.authorization({})
        yield* site.visit({ url, wallets: [Wallet.make()] }, async (page) => {
          await page.keyboard.press("Tab")
          await page.keyboard.press("Enter")
          await heading(page, /use your account\?$/)
          await page.keyboard.press("Enter")
          await page.keyboard.press("Space")
          assert.match(await focused(page), /use your account\?$/)
          await page.keyboard.press("Tab")
          assert.strictEqual(await focused(page), "Approve")
          await page.keyboard.press("Tab")
          assert.strictEqual(await focused(page), "Deny")
          await page.keyboard.press("Enter")
          await page.waitForURL(callback)
        })
      })
    )

    it.effect("does not work at any URL other than the configured one", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const url = site.url.replace("localhost", "127.0.0.1")
        yield* site.visit({ url, wallets: [Wallet.make()] }, async (page) => {
          await status(page, `This page works only at ${site.url}.`)
          assert.strictEqual(await page.getByRole("button").count(), 0)
        })
      })
    )

    it.effect("shows nothing when another site embeds the page in a frame", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const elsewhere = site.issuer.replace("localhost", "127.0.0.1")
        yield* site.visit({ url: `${elsewhere}/.well-known/jwks.json` }, async (page) => {
          const blocked = page.waitForEvent("console", (message) => /frame-ancestors 'none'/.test(message.text()))
          await page.evaluate(
            `document.body.append(Object.assign(document.createElement("iframe"), { src: "${site.url}" }))`
          )
          await blocked
          assert.strictEqual(await page.frameLocator("iframe").getByRole("heading", { name: "Sign in" }).count(), 0)
        })
      })
    )

    for (const colorScheme of ["light", "dark"] as const) {
      it.effect(`shows a readable page that fits a narrow phone in ${colorScheme} colours`, () =>
        Effect.gen(function* () {
          const site = yield* Site
          const viewport = { width: 390, height: 844 }
          const url = yield* site.authorization({ name: "An-application-with-one-very-long-name".repeat(2) })
          const wallets = [Wallet.make({ name: "W".repeat(60) }), Wallet.make({ refusal: () => 4001 })]
          yield* site.visit({ url, colorScheme, viewport, wallets }, async (page) => {
            await enter(page)
            await status(page, "You declined")
            assert.deepStrictEqual(await page.evaluate(unreadable), [])
            assert.strictEqual(await page.evaluate(overflow), 0)
            await enter(page, "W")
            await heading(page, /use your account\?$/)
            assert.deepStrictEqual(await page.evaluate(unreadable), [])
            assert.strictEqual(await page.evaluate(overflow), 0)
          })
        })
      )
    }
  })
})
