/** Secrets in files: the variable of a secret with the suffix `_FILE` holds a file's path. */
import { Config, ConfigProvider, Effect, FileSystem, Option, Result } from "effect"
import { SettingRefused } from "./SettingRefused.ts"

export const secrets = [
  "VENUE_DATABASE_URL",
  "VENUE_MIGRATION_DATABASE_URL",
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

/** Environment with the contents of the secret files. Fails with the first file that cannot be read. */
export const environment = Effect.gen(function* () {
  const { faults, provider } = yield* read
  if (faults.length > 0) return yield* faults[0]!
  return provider
})

/** Environment with the contents of the secret files that can be read, and the faults of the others. */
export const read = Effect.gen(function* () {
  const given = yield* ConfigProvider.ConfigProvider
  const results = yield* Effect.forEach(secrets, (name) => Effect.result(ofFile(name)))
  const faults = results.flatMap((result) => (Result.isFailure(result) ? [result.failure] : []))
  const known = results.flatMap((result) => (Result.isSuccess(result) ? Option.toArray(result.success) : []))
  const contents = Object.fromEntries(known)
  return { faults, provider: ConfigProvider.orElse(ConfigProvider.fromUnknown(contents), given) }
})

const ofFile = Effect.fnUntraced(function* (
  name: string
): Effect.fn.Return<Option.Option<readonly [string, string]>, SettingRefused, FileSystem.FileSystem> {
  const path = yield* Config.option(Config.String(`${name}_FILE`)).pipe(Effect.orDie)
  if (Option.isNone(path)) return Option.none()
  if (Option.isSome(yield* Config.option(Config.Redacted(name)).pipe(Effect.orDie)))
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
