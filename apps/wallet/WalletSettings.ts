/** Settings of the wallet, with its keys. */
import { moneyScale } from "@venue/domain/Decimal"
import { Config, Effect, Option, Redacted } from "effect"
import * as ArbitrumSettings from "../process/ArbitrumSettings.ts"
import * as GivenSettings from "../process/GivenSettings.ts"
import { expect, refused } from "../process/SettingRefused.ts"
import * as Setting from "../process/Setting.ts"
import * as TronSettings from "../process/TronSettings.ts"
import * as WalletConnection from "../process/WalletConnection.ts"
import { witnessDir } from "../process/witness/WitnessSettings.ts"

const own = Config.all({
  ...ArbitrumSettings.chain,
  tron: TronSettings.chain,
  tronKey: TronSettings.key,
  host: Setting.string("VENUE_WALLET_HOST", {
    default: "127.0.0.1",
    meaning: "Listening address of the wallet, on this machine or in a private network",
    readers: ["wallet"],
    changes: "process"
  }),
  port: Setting.port("VENUE_WALLET_PORT", {
    default: 4020,
    meaning: "Port of the wallet",
    readers: ["wallet"],
    changes: "process"
  }),
  secret: WalletConnection.secret,
  record: Setting.string("VENUE_WALLET_RECORD", {
    usual: "required",
    meaning: "File in which the wallet records each signature; only one wallet can use the file",
    readers: ["wallet"],
    requiredBy: ["wallet"],
    changes: "process"
  }),
  witnessDir,
  ...ArbitrumSettings.keys,
  maxPayment: Setting.int("VENUE_WALLET_MAX_PAYMENT", {
    default: 250_000,
    unit: "USD",
    meaning: "Maximum amount of one payment",
    readers: ["wallet"],
    changes: "process"
  }),
  maxPaidPerDay: Setting.int("VENUE_WALLET_MAX_PER_DAY", {
    default: 1_000_000,
    unit: "USD",
    meaning: "Maximum total of all payments in a UTC day",
    readers: ["wallet"],
    changes: "process"
  })
})

export const parse = Effect.gen(function* () {
  const settings = yield* own
  const { maxPaidPerDay, maxPayment, secret } = settings
  yield* expect(
    "VENUE_WALLET_SECRET",
    Redacted.value(secret).length >= 32,
    "at least 32 characters, the same as on the venue's nodes"
  )
  yield* expect("VENUE_WALLET_MAX_PAYMENT", maxPayment >= 1, "1 USD or more")
  yield* expect("VENUE_WALLET_MAX_PER_DAY", maxPaidPerDay >= 1, "1 USD or more")
  const { token } = yield* ArbitrumSettings.checkedChain(settings)
  const keys = yield* keysOf(settings)
  const tronKey = yield* TronSettings.keyOf(settings.tronKey)
  const { feeLimit, token: tronToken } = yield* TronSettings.checkedChain(settings.tron)
  const missing = "both keys for Arbitrum One, or VENUE_WALLET_TRON_KEY, or all three keys"
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
})

export const load = GivenSettings.loaded("wallet", parse)

/** Returns the keys for Arbitrum One, or undefined for a wallet that signs only on TRON. */
const keysOf = Effect.fnUntraced(function* ({ hotKey, xprv }: Pick<Config.Success<typeof own>, "hotKey" | "xprv">) {
  if (Option.isNone(hotKey) && Option.isNone(xprv)) return undefined
  if (Option.isNone(xprv)) return yield* refused("VENUE_WALLET_XPRV", "a value, because VENUE_WALLET_HOT_KEY is set")
  if (Option.isNone(hotKey)) return yield* refused("VENUE_WALLET_HOT_KEY", "a value, because VENUE_WALLET_XPRV is set")
  return yield* ArbitrumSettings.keysOf(hotKey.value, xprv.value)
})
