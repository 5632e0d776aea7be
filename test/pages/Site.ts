/** The real auth service with its pages, as users and applications see it. */
import * as Pages from "@venue/gateway/auth/Pages"
import type * as CaptchaRule from "@venue/auth/wallet/CaptchaRule"
import { Context, Effect, Layer } from "effect"
import { Secret, TOTP } from "otpauth"
import type { BrowserContext, Page } from "playwright-core"
import * as Auth from "../gateway/auth/AuthService.ts"
import { serviceName } from "../gateway/auth/SignInPage.ts"
import type { Answer } from "../gateway/rest/RestClient.ts"
import { CaptchaProvider } from "./CaptchaProvider.ts"
import * as Chromium from "./Chromium.ts"
import type { PageWallet } from "./Wallet.ts"

export interface AuthorizationOptions {
  readonly name?: string
  readonly scope?: string
}

/** Second-factor codes; `code` and `recoveryCode` can each be used once. */
export interface Codes {
  readonly code: string
  readonly wrongCode: string
  readonly recoveryCode: string
}

export class Site extends Context.Service<
  Site,
  {
    readonly issuer: string
    readonly url: string
    /** Opens the sign-in page or the given URL. A stub application responds on every path. */
    readonly visit: <A>(
      options: Partial<Chromium.VisitOptions>,
      drive: (page: Page, context: BrowserContext) => Promise<A>
    ) => Effect.Effect<A>
    /** Registers an application and returns the URL to which it sends its user. */
    readonly authorization: (options: AuthorizationOptions) => Effect.Effect<string>
    /** Waits until the access token is refused and returns the error code. Nodes receive a sign-out within 1 s. */
    readonly refusal: (accessToken: string) => Effect.Effect<string>
    readonly signOut: (accessToken: string) => Effect.Effect<Answer>
    /** Enrols a second factor for the wallet's owner. */
    readonly enrol: (wallet: PageWallet) => Effect.Effect<Codes>
  }
>()("test/pages/Site") {
  static readonly layer = Layer.suspend(() => layerOf({}))

  static readonly layerWithCaptcha = (captchaRule: Exclude<CaptchaRule.Setting, "never">) =>
    Layer.unwrap(
      Effect.map(CaptchaProvider, ({ captcha, widget }) =>
        layerOf({ captcha, captchaRule }, { ...widget, atOnce: captchaRule === "always" })
      )
    )
}

const layerOf = (options: Auth.AuthServiceOptions, captcha?: Pages.PagesOptions["captcha"]) =>
  Layer.effect(
    Site,
    Effect.suspend(() => make)
  ).pipe(
    Layer.provide(
      Auth.layer({
        ...options,
        pages: ({ issuer }) =>
          Pages.make({ serviceName, clientKey: Auth.clientKey, issuer, ...(captcha === undefined ? {} : { captcha }) })
      })
    )
  )

const make = Effect.gen(function* () {
  const auth = yield* Auth.AuthService
  const browser = yield* Chromium.launched
  const url = Pages.uriOf(auth.issuer)
  const bearer = (accessToken: string) => ({ authorization: `Bearer ${accessToken}` })

  return Site.of({
    issuer: auth.issuer,
    url,
    visit: (options, drive) =>
      Chromium.visit(browser, { url, ...options }, async (page, context) => {
        await page.route(`${application}/**`, (route) => route.fulfill({ body: "The application." }))
        await page.route(`${application}/logo.svg`, (route) => route.fulfill(logo))
        return drive(page, context)
      }),
    authorization: Effect.fnUntraced(function* ({ name = "Example App", scope = "openid" }: AuthorizationOptions) {
      const redirectUri = `${application}/callback`
      const logoUri = `${application}/logo.svg`
      const { clientId } = yield* auth.register({ name, logoUri, type: "public", redirectUris: [redirectUri] })
      const query = new URLSearchParams({
        response_type: "code",
        client_id: clientId,
        redirect_uri: redirectUri,
        scope,
        state: "state of the application",
        code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        code_challenge_method: "S256"
      })
      const { headers } = yield* auth.get(`/oauth/authorize?${query}`)
      return headers.get("location")!
    }),
    refusal: (accessToken) =>
      auth.get("/user", bearer(accessToken)).pipe(
        Effect.repeat({ until: ({ status }) => status !== 200, times: 5_000 }),
        Effect.map(({ body }) => body.error_code)
      ),
    signOut: (accessToken) => auth.send("POST", "/logout", undefined, bearer(accessToken)),
    enrol: Effect.fnUntraced(function* (wallet) {
      const { access_token } = yield* auth.signIn(wallet)
      const send = (path: string, body: object) => auth.send("POST", path, body, bearer(access_token))
      const { id, totp } = (yield* send("/factors", { factor_type: "totp" })).body
      const timestamp = Date.now()
      const generator = new TOTP({ secret: Secret.fromBase32(totp.secret) })
      const challenge = yield* send(`/factors/${id}/challenge`, {})
      const verified = yield* send(`/factors/${id}/verify`, {
        challenge_id: challenge.body.id,
        code: generator.generate({ timestamp })
      })
      // The verification used this time step's code; the next step's code is already accepted.
      const code = generator.generate({ timestamp: timestamp + 30_000 })
      const wrongCode = code.replace(/^./, (digit) => String((Number(digit) + 1) % 10))
      return { code, wrongCode, recoveryCode: verified.body.recovery_codes[0] }
    })
  })
})

const application = "https://rp.example"

const logo = {
  contentType: "image/svg+xml",
  body: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path fill="teal" d="M0 0h1v1H0z"/></svg>`
}
