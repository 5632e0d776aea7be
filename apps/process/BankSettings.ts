/** A venue's connection to its bank. */
import * as Bank from "@venue/providers/rails/bank/Bank"
import { type RailProvider, RailUnavailable } from "@venue/providers/rails/RailProvider"
import * as StandardWebhook from "@venue/providers/StandardWebhook"
import { Config, Effect, Option, Redacted } from "effect"
import type { HttpClient } from "effect/http"
import * as Setting from "./Setting.ts"
import { expect, type SettingRefused } from "./SettingRefused.ts"

export const key = Setting.secret("VENUE_BANK_KEY", {
  usual: "required if the rail is connected",
  meaning: "Bearer key for requests to the bank",
  readers: [...Setting.runners, "bank"],
  changes: "process"
})

export const webhookSecret = Setting.secret("VENUE_BANK_WEBHOOK_SECRET", {
  meaning: "Secret with which the bank signs its webhooks; without it, the venue only polls the bank",
  readers: [...Setting.gateways, "bank"],
  changes: "process"
})

export const all = Config.all({
  url: Config.option(
    Setting.string("VENUE_BANK_URL", {
      meaning: "URL of the bank's API; without it, the bank is not connected",
      readers: Setting.venue,
      changes: "all runners"
    })
  ),
  key: Config.withDefault(key, Redacted.make("")),
  webhookSecret: Config.option(webhookSecret)
})
export type BankSettings = Config.Success<typeof all>

/** Returns the rail, or an empty option if the settings contain no bank. */
export const provider = Effect.fn("BankSettings.provider")(function* ({
  key,
  url
}: BankSettings): Effect.fn.Return<Option.Option<RailProvider>, SettingRefused, HttpClient.HttpClient> {
  if (Option.isNone(url)) return Option.none()
  const isAddress = /^https?:$/.test(URL.parse(url.value)?.protocol ?? "") && !/[?#]/.test(url.value)
  yield* expect("VENUE_BANK_URL", isAddress, "an http or https URL without a query")
  yield* expect("VENUE_BANK_KEY", Redacted.value(key) !== "", "the key that the bank issued")
  return Option.some(yield* Bank.make({ url: url.value.replace(/\/$/, ""), key }))
})

/**
 * Returns the rail of a process without the bank's key. The rail shows that the venue has a bank, but all of its
 * calls fail.
 */
export const nameOnly = ({ url }: BankSettings): Option.Option<RailProvider> => {
  const elsewhere = Effect.fail(
    new RailUnavailable({ rail: "BANK", cause: "this process has no connection to the bank" })
  )
  return Option.map(url, () => ({
    rail: "BANK",
    addressAt: undefined,
    scan: () => elsewhere,
    arrivalStates: () => elsewhere,
    nextSequence: () => elsewhere,
    isOrdered: false,
    check: () => elsewhere,
    sign: () => elsewhere,
    send: () => elsewhere,
    outcome: () => elsewhere,
    holdings: () => elsewhere
  }))
}

/** Returns the secret, or undefined for a venue that only polls its bank. */
export const webhookSecretOf = Effect.fnUntraced(function* ({ webhookSecret }: BankSettings) {
  if (Option.isNone(webhookSecret)) return undefined
  const isRight = StandardWebhook.isSecret(webhookSecret.value)
  yield* expect("VENUE_BANK_WEBHOOK_SECRET", isRight, StandardWebhook.secretForm)
  return webhookSecret.value
})
