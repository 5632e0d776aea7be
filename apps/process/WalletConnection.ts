/** A process's connection to the wallet, which holds the keys. */
import { Signer } from "@venue/providers/rails/Signer"
import { Config, Effect, type Layer, Option, Redacted } from "effect"
import type { HttpClient } from "effect/http"
import * as Setting from "./Setting.ts"
import { expect, type SettingRefused } from "./SettingRefused.ts"

export const secret = Setting.secret("VENUE_WALLET_SECRET", {
  usual: "required if a wallet is used",
  meaning: "Secret of at least 32 characters that runners and the wallet share",
  readers: [...Setting.runners, "wallet"],
  requiredBy: ["wallet"],
  changes: "process"
})

export const settings = {
  walletUrl: Config.option(
    Setting.string("VENUE_WALLET_URL", {
      meaning: "URL of the wallet, which signs payments",
      readers: Setting.runners,
      changes: "process"
    })
  ),
  walletSecret: Config.withDefault(secret, Redacted.make(""))
}
type WalletConnection = { readonly [Name in keyof typeof settings]: Config.Success<(typeof settings)[Name]> }

/**
 * Returns the signer, or an empty option without a wallet. With a wallet, keys in this process's settings are
 * refused.
 */
export const signer = Effect.fnUntraced(function* (
  { walletSecret, walletUrl }: WalletConnection,
  keys: Readonly<Record<string, Option.Option<Redacted.Redacted>>>
): Effect.fn.Return<Option.Option<Layer.Layer<Signer, never, HttpClient.HttpClient>>, SettingRefused> {
  if (Option.isNone(walletUrl)) return Option.none()
  yield* expect("VENUE_WALLET_URL", URL.canParse(walletUrl.value), "the URL of the wallet")
  for (const [setting, key] of Object.entries(keys)) {
    yield* expect(setting, Option.isNone(key), "no value: the wallet holds this key")
  }
  yield* expect("VENUE_WALLET_SECRET", Redacted.value(walletSecret) !== "", "the secret that the wallet expects")
  return Option.some(Signer.layer({ url: walletUrl.value.replace(/\/$/, ""), secret: walletSecret }))
})

/** Returns the connection to the wallet, which is the same for both chains; empty without a wallet. */
export const of = (...chains: ReadonlyArray<WalletConnection>) =>
  Option.map(
    Option.fromUndefinedOr(chains.find(({ walletUrl }) => Option.isSome(walletUrl) && URL.canParse(walletUrl.value))),
    ({ walletSecret: secret, walletUrl }) => ({ url: Option.getOrThrow(walletUrl).replace(/\/$/, ""), secret })
  )
