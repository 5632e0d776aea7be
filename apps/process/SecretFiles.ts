/** Secrets in files: the variable of a secret with the suffix `_FILE` holds a file's path. */
import { Config, ConfigProvider, Effect, FileSystem, Option } from "effect"
import { SettingRefused } from "./SettingRefused.ts"

export const secrets = [
  "VENUE_DATABASE_URL",
  "VENUE_SECRET_KEY",
  "VENUE_ADMIN_TOKEN",
  "VENUE_AUTH_CLIENT_KEY",
  "VENUE_BUILDER_KEY",
  "VENUE_CAPTCHA_SECRET",
  "VENUE_IDENTITY_KEY",
  "VENUE_IDENTITY_CALLBACK_KEY",
  "VENUE_ARBITRUM_RPC_URLS",
  "VENUE_WALLET_SECRET",
  "VENUE_WALLET_HOT_KEY",
  "VENUE_WALLET_XPRV",
  "VENUE_WALLET_TRON_KEY",
  "VENUE_TRON_NODE_URLS",
  "VENUE_TRON_API_KEY",
  "VENUE_BANK_KEY",
  "VENUE_BANK_WEBHOOK_SECRET"
] as const

/** Environment with the contents of the secret files. */
export const environment = Effect.gen(function* () {
  const given = yield* ConfigProvider.ConfigProvider
  const read = yield* Effect.forEach(secrets, ofFile)
  const known = read.flatMap((entry) => Option.toArray(entry))
  return ConfigProvider.orElse(ConfigProvider.fromUnknown(Object.fromEntries(known)), given)
})

const ofFile = Effect.fnUntraced(function* (name: string) {
  const path = yield* Config.option(Config.String(`${name}_FILE`))
  if (Option.isNone(path)) return Option.none()
  if (Option.isSome(yield* Config.option(Config.Redacted(name))))
    return yield* new SettingRefused({ setting: name, expected: `only one of ${name} and ${name}_FILE; both are set` })
  const files = yield* FileSystem.FileSystem
  const text = yield* files
    .readFileString(path.value)
    .pipe(
      Effect.mapError(
        () => new SettingRefused({ setting: `${name}_FILE`, expected: "the path of a file that this user can read" })
      )
    )
  return Option.some([name, text.trim()] as const)
})
