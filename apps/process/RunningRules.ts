/** Rules about running settings that depend on a gateway's other settings. */
import { definitions, type Field } from "@venue/domain/RunningSettings"
import { RunningSettings } from "@venue/storage/settings/RunningSettings"
import type { Values } from "@venue/storage/settings/SettingValues"
import { Effect, Option, Redacted } from "effect"
import type { NodeSettings } from "./NodeVariables.ts"
import * as Production from "./Production.ts"
import { broken, refuseAll, type SettingRefused } from "./SettingRefused.ts"
import type { SharedSettings } from "./Settings.ts"

type Secrets = Pick<Values, "adminToken" | "captchaSecret" | "identityKey" | "identityCallbackKey">
type Terms = Pick<SharedSettings, "captcha" | "environment" | "identityUrl">
type FieldRule = readonly [field: Field, holds: boolean, expected: string]

const rulesOf = ({ captcha, environment, identityUrl }: Terms, secrets: Secrets): ReadonlyArray<FieldRule> => {
  const needsIdentity = Option.isSome(identityUrl)
  return [
    ["adminToken", isSet(secrets.adminToken), "the first operator's token"],
    [
      "adminToken",
      environment === "development" || Production.isDrawn(secrets.adminToken),
      `at least 32 random characters, not a test token, in ${environment}`
    ],
    ["captchaSecret", captcha === "never" || isSet(secrets.captchaSecret), "a secret, unless VENUE_CAPTCHA is never"],
    ["identityKey", !needsIdentity || isSet(secrets.identityKey), "a key, since VENUE_IDENTITY_URL is set"],
    [
      "identityCallbackKey",
      !needsIdentity || isSet(secrets.identityCallbackKey),
      "a key, since VENUE_IDENTITY_URL is set"
    ]
  ]
}

const isSet = (secret: Redacted.Redacted): boolean => Redacted.value(secret) !== ""

/** Returns the faults of a gateway with these secrets. */
export const faultsOf = (settings: Terms, secrets: Secrets): ReadonlyArray<SettingRefused> =>
  broken(rulesOf(settings, secrets).map(([field, holds, expected]) => [definitions[field].name, holds, expected]))

/** Refuses a gateway whose stored secrets do not suffice. Its environment has their initial values. */
export const check = Effect.fnUntraced(function* (settings: Terms) {
  const { now } = yield* RunningSettings
  yield* refuseAll(faultsOf(settings, now()))
})

/** Returns the secrets in a gateway's environment. */
export const initialOf = (settings: NodeSettings): Secrets => ({
  adminToken: settings.adminToken,
  captchaSecret: Option.getOrElse(settings.captchaSecret, () => Redacted.make("")),
  identityKey: settings.identityKey,
  identityCallbackKey: settings.identityCallbackKey
})

/** Returns a function that returns the valid values of a setting if a text breaks a rule. */
export const flawOf =
  (settings: Terms, now: () => Values) =>
  (field: Field, text: string): string | undefined =>
    rulesOf(settings, { ...now(), [field]: Redacted.make(text) }).find(([name, holds]) => name === field && !holds)?.[2]
