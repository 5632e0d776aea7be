/** Sign-in and access settings: rules that types do not express. */
import { UserEligibility } from "@venue/auth/access/Eligibility"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { WalletSignIn } from "@venue/auth/wallet/WalletSignIn"
import * as AccessTables from "@venue/storage/access/AccessTables"
import { RunningSettings } from "@venue/storage/settings/RunningSettings"
import { assert, it } from "@effect/vitest"
import { Clock, ConfigProvider, Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Access from "../../../apps/process/Access.ts"
import * as AuthPlace from "../../../apps/process/AuthPlace.ts"
import { Settings } from "../../../apps/dev/Settings.ts"
import { signInMessage, wallet } from "../../auth/wallet/Wallets.ts"

const settingsOf = (variables: Readonly<Record<string, string>>) =>
  Settings.parse(ConfigProvider.fromUnknown(variables))

const tables = Layer.merge(AccessTables.layerMemory, RunningSettings.layerMemory({ given: {} })).pipe(
  Layer.provideMerge(Layer.merge(SecureRandom.layerWebCrypto, SigningKeys.layerMemory))
)

/** Runs an effect against a venue with these settings. */
const under = <A, E>(
  variables: Readonly<Record<string, string>>,
  work: Effect.Effect<A, E, UserEligibility | WalletSignIn>,
  secretKey = "x".repeat(32)
) =>
  Effect.gen(function* () {
    const settings = yield* settingsOf(variables)
    const access = yield* Access.layer(settings, Redacted.make(secretKey))
    return yield* Effect.provide(work, Layer.provide(access, tables))
  })

/** Returns the reason why a proof from an unknown chain is refused. */
const refusal = (variables: Readonly<Record<string, string>>, secretKey?: string) => {
  const refused = Effect.gen(function* () {
    const refused = yield* Effect.flip((yield* WalletSignIn).signIn({ chain: "solana", message: "", signature: "" }))
    return refused._tag === "WalletRefused" ? refused.reason : refused._tag
  })
  return under(variables, refused, secretKey)
}

it.live("refuses a secret key of fewer than 32 characters, and states the minimum", () =>
  Effect.gen(function* () {
    const refused = yield* refusal({}, "x".repeat(31)).pipe(
      Effect.catchTag("SettingRefused", ({ message }) => Effect.succeed(message))
    )
    assert.strictEqual(refused, "VENUE_SECRET_KEY: expected at least 32 characters")
    assert.strictEqual(yield* refusal({}), "chain")
  })
)

it.live("accepts a web socket URL with or without a path, but not with a query", () =>
  Effect.gen(function* () {
    const refused = (url: string) =>
      refusal({ VENUE_PUBLIC_MARKET_DATA_URL: url }).pipe(
        Effect.catchTag("SettingRefused", ({ message }) => Effect.succeed(message))
      )
    for (const url of ["wss://market-data.venue.test", "ws://127.0.0.1:4004/stream"]) {
      assert.strictEqual(yield* refused(url), "chain")
    }
    for (const url of ["https://market-data.venue.test", "wss://venue.test/?key=1", "wss://", "venue.test"]) {
      assert.strictEqual(yield* refused(url), "VENUE_PUBLIC_MARKET_DATA_URL: expected a ws or wss URL without a query")
    }
  })
)

it.live("accepts at most two builder keys and at most two agreement URLs", () =>
  Effect.gen(function* () {
    const refused = (variables: Readonly<Record<string, string>>) =>
      refusal(variables).pipe(Effect.catchTag("SettingRefused", ({ setting }) => Effect.succeed(setting)))
    const [key, url] = ["k".repeat(32), "https://venue.test/agreement"]
    assert.strictEqual(yield* refused({ VENUE_BUILDER_KEY: `${key},${key}` }), "chain")
    assert.strictEqual(yield* refused({ VENUE_CLIENT_AGREEMENT_URL: `${url},${url}` }), "chain")
    for (const keys of [`${key},${key},${key}`, `${key},short`, "short"])
      assert.strictEqual(yield* refused({ VENUE_BUILDER_KEY: keys }), "VENUE_BUILDER_KEY")
    for (const urls of [`${url},${url},${url}`, ",", `${url},http://venue.test/agreement`])
      assert.strictEqual(yield* refused({ VENUE_CLIENT_AGREEMENT_URL: urls }), "VENUE_CLIENT_AGREEMENT_URL")
  })
)

it.live("refuses the country-header setting without a trusted proxy", () =>
  Effect.gen(function* () {
    const refused = (variables: Readonly<Record<string, string>>) =>
      refusal({ VENUE_COUNTRY_HEADER: "x-country", ...variables }).pipe(
        Effect.catchTag("SettingRefused", ({ message }) => Effect.succeed(message))
      )
    assert.strictEqual(
      yield* refused({}),
      "VENUE_COUNTRY_HEADER: expected no value without VENUE_TRUSTED_PROXIES: only a trusted proxy is allowed to set the country"
    )
    assert.strictEqual(yield* refused({ VENUE_TRUSTED_PROXIES: "10.0.0.0/8" }), "chain")
  })
)

it.live("refuses wallet sign-in if the setting VENUE_WALLET_SIGN_IN is off", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* refusal({ VENUE_WALLET_SIGN_IN: "off" }), "disabled")
    assert.strictEqual(yield* refusal({ VENUE_WALLET_SIGN_IN: "on" }), "chain")
  })
)

it.live("accepts a wallet address in lower case only if the setting VENUE_LOWERCASE_ADDRESSES is on", () =>
  Effect.gen(function* () {
    const { address, sign } = wallet(1)
    const { signInPage } = AuthPlace.of(yield* settingsOf({}))
    const message = signInMessage({
      domain: new URL(signInPage).host,
      address: address.toLowerCase(),
      statement: "Sign in to Venue",
      uri: signInPage,
      issuedAt: new Date(yield* Clock.currentTimeMillis).toISOString()
    })
    const signIn = Effect.flatMap(WalletSignIn, (wallets) =>
      Effect.match(wallets.signIn({ chain: "ethereum", message, signature: sign(message) }), {
        onSuccess: () => "signed in",
        onFailure: (refused) => (refused._tag === "WalletRefused" ? refused.reason : refused._tag)
      })
    )
    assert.strictEqual(yield* under({}, signIn), "message")
    assert.strictEqual(yield* under({ VENUE_LOWERCASE_ADDRESSES: "on" }, signIn), "signed in")
  })
)

it.live("requires users to be verified only if an identity provider is configured", () =>
  Effect.gen(function* () {
    const isRequired = Effect.map(UserEligibility, ({ requirements }) => requirements.verifiedIdentity)
    assert.isFalse(yield* under({}, isRequired))
    const provider = {
      VENUE_IDENTITY_URL: "https://identity.example",
      VENUE_IDENTITY_KEY: "key",
      VENUE_IDENTITY_CALLBACK_KEY: "callback key"
    }
    assert.isTrue(yield* under(provider, isRequired))
  })
)

it.effect("writes an IPv6 host in brackets in the URLs of the authentication service and the sign-in page", () =>
  Effect.gen(function* () {
    const { signInPage, url } = AuthPlace.of(yield* settingsOf({ VENUE_HOST: "::1" }))
    assert.strictEqual(url, "http://[::1]:4002")
    assert.isTrue(signInPage.startsWith(url))
  })
)

const key = Redacted.make("x".repeat(32))

it.effect(
  "if the host binds every interface, the sign-in URL uses loopback and sign-ins from that URL are accepted",
  () =>
    Effect.gen(function* () {
      for (const [host, url] of [
        ["0.0.0.0", "http://127.0.0.1:4002"],
        ["::", "http://[::1]:4002"]
      ] as const) {
        const settings = yield* settingsOf({ VENUE_HOST: host })
        assert.strictEqual(AuthPlace.of(settings).url, url)
        yield* Access.layer(settings, key)
      }
    })
)

it.effect("requires a public sign-in URL if the host is a specific address other than loopback", () =>
  Effect.gen(function* () {
    const messageOf = Effect.fnUntraced(function* (variables: Readonly<Record<string, string>>) {
      const refused = yield* Effect.flip(Access.layer(yield* settingsOf(variables), key))
      return refused.message
    })
    const unset = yield* messageOf({ VENUE_HOST: "192.0.2.7" })
    assert.match(unset, /^VENUE_PUBLIC_AUTH_URL: expected the https URL .* VENUE_HOST is 192\.0\.2\.7, /)
    assert.notInclude(unset, "VENUE_SIGN_IN_URI")
    assert.match(yield* messageOf({ VENUE_SIGN_IN_URI: "http://venue.example/in" }), /^VENUE_SIGN_IN_URI: /)
    yield* Access.layer(
      yield* settingsOf({ VENUE_HOST: "192.0.2.7", VENUE_PUBLIC_AUTH_URL: "https://auth.venue.example" }),
      key
    )
  })
)
