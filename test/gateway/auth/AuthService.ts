/** Authentication service with all its dependencies, on a local port and with a separate database. */
import { Authorize } from "@venue/auth/oauth/Authorize"
import { Bearers } from "@venue/auth/session/Bearers"
import { ClientAuthentication } from "@venue/auth/oauth/ClientAuthentication"
import { ClientRegistration, type Registration } from "@venue/auth/oauth/ClientRegistration"
import { CodeExchange } from "@venue/auth/oauth/CodeExchange"
import { Consents } from "@venue/auth/oauth/Consents"
import { SecondFactor } from "@venue/auth/session/SecondFactor"
import { SessionTokens } from "@venue/auth/session/SessionTokens"
import { sitesOf } from "@venue/auth/wallet/SignInSite"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { TokenRevocation } from "@venue/auth/session/TokenRevocation"
import type * as CaptchaRule from "@venue/auth/wallet/CaptchaRule"
import { WalletSignIn } from "@venue/auth/wallet/WalletSignIn"
import * as AuthServer from "@venue/gateway/auth/AuthServer"
import { Health } from "@venue/gateway/http/Health"
import { Captcha } from "@venue/providers/Captcha"
import { Audit } from "@venue/storage/access/Audit"
import { Authorizations } from "@venue/storage/access/Authorizations"
import { FactorChallenges } from "@venue/storage/access/FactorChallenges"
import { Factors } from "@venue/storage/access/Factors"
import { Grants } from "@venue/storage/access/Grants"
import { Identities } from "@venue/storage/access/Identities"
import { OAuthClients } from "@venue/storage/access/OAuthClients"
import { Profiles } from "@venue/storage/access/Profiles"
import { RecoveryCodes } from "@venue/storage/access/RecoveryCodes"
import { Revocations } from "@venue/storage/access/Revocations"
import { Seal } from "@venue/postgres/Seal"
import { Sessions } from "@venue/storage/access/Sessions"
import { SignInAttempts } from "@venue/storage/access/SignInAttempts"
import { SigningKeyTable } from "@venue/storage/access/SigningKeyTable"
import { Transaction } from "@venue/postgres/Transaction"
import { Users } from "@venue/storage/access/Users"
import { UserStates } from "@venue/storage/access/UserStates"
import { WalletNonces } from "@venue/storage/access/WalletNonces"
import { Clock, Context, Effect, Layer, Logger, Redacted, Result, type Scope } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"
import { type AuthClient, clientKey, clientOf } from "./AuthClient.ts"
import { serviceName, signInUri } from "./SignInPage.ts"
import * as Ports from "../../nodes/Ports.ts"

export { clientKey }
export const solvedCaptcha = "a solved captcha"

/** URLs of the service: its origin, where the consent page is at `/sign-in`, and its issuer. */
export interface Place {
  readonly origin: string
  readonly issuer: string
}

export interface AuthServiceOptions {
  readonly pages?: (place: Place) => AuthServer.Pages
  readonly walletsEnabled?: boolean
  /** Returns whether the venue is ready. Default: always true. */
  readonly isReady?: () => boolean
  /** Default: accepts only `solvedCaptcha`. */
  readonly captcha?: Layer.Layer<Captcha>
  /** Rule that decides when a CAPTCHA is required. Default: never. */
  readonly captchaRule?: CaptchaRule.Setting
}

export class AuthService extends Context.Service<
  AuthService,
  AuthClient & {
    readonly logs: ReadonlyArray<string>
    /** Opens another listener on the same services with other settings. */
    readonly other: (options: Partial<AuthServer.AuthServerOptions>) => Effect.Effect<AuthClient, never, Scope.Scope>
    /** Opens another listener whose clock starts at the current time and advances only when the test advances it. */
    readonly timed: (
      options: Partial<AuthServer.AuthServerOptions>
    ) => Effect.Effect<AuthClient & { readonly later: (millis: number) => Effect.Effect<void> }, never, Scope.Scope>
    readonly register: (
      registration: Partial<Registration>
    ) => Effect.Effect<{ readonly clientId: string; readonly secret: string }>
  }
>()("test/gateway/auth/AuthService") {}

export const redirectUri = "https://rp.example/cb?kept=1"

const make = (
  { origin, issuer }: Place,
  port: number,
  { captchaRule = "never", pages }: AuthServiceOptions,
  logs: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    const registrations = yield* ClientRegistration
    const context = yield* Effect.context<Effect.Services<ReturnType<typeof AuthServer.open>>>()
    const options: AuthServer.AuthServerOptions = {
      host: "127.0.0.1",
      port,
      brand: "acme",
      issuer,
      consentOrigin: origin,
      clientKeys: ["pk_test_older", clientKey],
      captcha: captchaRule,
      limits: false,
      trustedProxies: [],
      allowPublicFormRefresh: true
    }
    yield* AuthServer.open(pages === undefined ? options : { ...options, pages: pages({ origin, issuer }) })
    const other = (changes: Partial<AuthServer.AuthServerOptions>) =>
      AuthServer.open({ ...options, port: 0, ...changes }).pipe(
        Effect.map(({ url }) => clientOf(url, issuer)),
        Effect.orDie,
        Effect.updateContext((scoped: Context.Context<Scope.Scope>) => Context.merge(context, scoped))
      )
    return AuthService.of({
      ...clientOf(origin, issuer),
      logs,
      other,
      timed: Effect.fnUntraced(function* (changes) {
        const clock = yield* TestClock.make()
        yield* clock.setTime(yield* Clock.currentTimeMillis)
        const client = yield* Effect.provideService(other(changes), Clock.Clock, clock)
        return { ...client, later: clock.adjust }
      }),
      register: (registration) =>
        registrations
          .register(
            {
              name: "Example App",
              type: "confidential",
              redirectUris: [redirectUri],
              logoUri: "https://rp.example/l.png",
              clientUri: "https://rp.example/",
              allowLoopback: false,
              ...registration
            },
            { actor: "operator", reason: "a test" }
          )
          .pipe(
            Effect.map(({ client, secret }) => ({
              clientId: client.clientId,
              secret: secret === null ? "" : Redacted.value(secret)
            })),
            Effect.orDie
          )
    })
  })

export const layer = (options: AuthServiceOptions = {}) =>
  Layer.unwrap(
    Effect.map(Effect.promise(Ports.one), (port) => {
      const { captcha = Captcha.layerLocal(solvedCaptcha), isReady = () => true, walletsEnabled = true } = options
      const origin = `http://localhost:${port}`
      const issuer = `${origin}/auth/v1`
      const logs: Array<string> = []
      const logger = Logger.make((entry) => void logs.push(Logger.formatLogFmt.log(entry)))
      const serverKey = Redacted.make("the server key of this test, of any characters")
      const reason = () => (isReady() ? undefined : "The service of this test is not ready.")
      const health = Layer.succeed(
        Health,
        Health.of({ ready: isReady, reason, stop: Effect.void, answer: () => () => {} })
      )
      const sites = Result.getOrThrow(sitesOf([signInUri, `${origin}/sign-in`], { allowLoopback: true }))

      const tables = Layer.mergeAll(
        Audit.layer,
        Authorizations.layer,
        FactorChallenges.layer,
        Factors.layer,
        Grants.layer,
        OAuthClients.layer,
        Profiles.layer,
        RecoveryCodes.layer,
        Revocations.layer,
        SignInAttempts.layer,
        SigningKeyTable.layer,
        Transaction.layer,
        Users.layer,
        WalletNonces.layer
      )
      return Layer.effect(AuthService, make({ origin, issuer }, port, options, logs)).pipe(
        Layer.provideMerge(
          Layer.mergeAll(
            Authorize.layer({ issuer, consentPage: `${origin}/sign-in` }),
            captcha,
            ClientAuthentication.layer,
            ClientRegistration.layer,
            CodeExchange.layer({ issuer }),
            Consents.layer,
            health,
            TokenRevocation.layer,
            WalletSignIn.layer({ enabled: walletsEnabled, serviceName, sites })
          )
        ),
        Layer.provideMerge(SecondFactor.layer),
        Layer.provideMerge(Layer.merge(SessionTokens.layer({ issuer, serverKey }), Bearers.layer({ issuer }))),
        Layer.provideMerge(Layer.mergeAll(Identities.layer, Sessions.layer, SigningKeys.layer, UserStates.layer)),
        Layer.provideMerge(tables),
        Layer.provideMerge(
          Layer.mergeAll(
            postgresLayer,
            Logger.layer([logger]),
            SecureRandom.layerWebCrypto,
            Seal.layer(Redacted.make("the secret key of this test, of any characters"))
          )
        )
      )
    })
  )
