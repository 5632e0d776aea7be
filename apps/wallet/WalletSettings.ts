/** The settings of the wallet: no other process of the venue knows its keys. */
import { moneyScale } from "@venue/domain/Decimal"
import { Config, ConfigProvider, Effect, Option, Redacted } from "effect"
import * as ArbitrumSettings from "../process/ArbitrumSettings.ts"
import * as SecretFiles from "../process/SecretFiles.ts"
import { expect, refused } from "../process/SettingRefused.ts"
import * as StartFailure from "../process/StartFailure.ts"
import * as TronSettings from "../process/TronSettings.ts"

const own = Config.all({
  ...ArbitrumSettings.chain,
  tron: TronSettings.chain,
  tronKey: TronSettings.key,
  host: Config.String("VENUE_WALLET_HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.Port("VENUE_WALLET_PORT").pipe(Config.withDefault(4020)),
  secret: Config.Redacted("VENUE_WALLET_SECRET"),
  record: Config.String("VENUE_WALLET_RECORD"),
  ...ArbitrumSettings.keys,
  maxPayment: Config.Int("VENUE_WALLET_MAX_PAYMENT").pipe(Config.withDefault(250_000)),
  maxPaidPerDay: Config.Int("VENUE_WALLET_MAX_PER_DAY").pipe(Config.withDefault(1_000_000))
})

export const load = Effect.gen(function* () {
  const environment = yield* SecretFiles.environment
  const settings = yield* own.pipe(Effect.provideService(ConfigProvider.ConfigProvider, environment))
  const { maxPaidPerDay, maxPayment, secret } = settings
  yield* expect(
    "VENUE_WALLET_SECRET",
    Redacted.value(secret).length >= 32,
    "at least 32 characters, the same as the venue's nodes have"
  )
  yield* expect("VENUE_WALLET_MAX_PAYMENT", maxPayment >= 1, "1 USD or more")
  yield* expect("VENUE_WALLET_MAX_PER_DAY", maxPaidPerDay >= 1, "1 USD or more")
  const { token } = yield* ArbitrumSettings.checkedChain(settings)
  const keys = yield* keysOf(settings)
  const tronKey = yield* TronSettings.keyOf(settings.tronKey)
  const { feeLimit, token: tronToken } = yield* TronSettings.checkedChain(settings.tron)
  const missing = "keys: both for Arbitrum One, or VENUE_WALLET_TRON_KEY, or all three"
  yield* expect("VENUE_WALLET_HOT_KEY, VENUE_WALLET_XPRV", keys !== undefined || tronKey !== undefined, missing)
  return {
    ...settings,
    keys,
    tronKey,
    limits: {
      tron: tronKey === undefined ? undefined : { hot: tronKey.address, token: tronToken, maxFee: feeLimit },
      chainId: keys === undefined ? undefined : settings.chainId,
      token,
      maxPayment: BigInt(maxPayment) * BigInt(moneyScale),
      maxPaidPerDay: BigInt(maxPaidPerDay) * BigInt(moneyScale),
      maxFeePerGas: ArbitrumSettings.weiOf(settings)
    }
  }
}).pipe(Effect.catchTag("ConfigError", (error) => Effect.fail(StartFailure.refusalOf(error))))

/** None for a wallet that signs on TRON alone. */
const keysOf = Effect.fnUntraced(function* ({ hotKey, xprv }: Pick<Config.Success<typeof own>, "hotKey" | "xprv">) {
  if (Option.isNone(hotKey) && Option.isNone(xprv)) return undefined
  if (Option.isNone(xprv)) return yield* refused("VENUE_WALLET_XPRV", "the other key for Arbitrum One")
  if (Option.isNone(hotKey)) return yield* refused("VENUE_WALLET_HOT_KEY", "the other key for Arbitrum One")
  return yield* ArbitrumSettings.keysOf(hotKey.value, xprv.value)
})
