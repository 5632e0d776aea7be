/** Connection of a venue to Arbitrum One: endpoints, keys, token and limits. */
import { moneyScale } from "@venue/domain/Decimal"
import * as ArbitrumRail from "@venue/providers/rails/arbitrum/ArbitrumRail"
import * as DepositAddresses from "@venue/providers/rails/arbitrum/DepositAddresses"
import * as RpcEndpoint from "@venue/providers/rails/arbitrum/RpcEndpoint"
import * as RpcEndpoints from "@venue/providers/rails/arbitrum/RpcEndpoints"
import * as Transactions from "@venue/providers/rails/arbitrum/Transactions"
import type { RailProvider } from "@venue/providers/rails/RailProvider"
import { Signer, SignerUnavailable } from "@venue/providers/rails/Signer"
import { Config, Effect, type Layer, Option, Redacted } from "effect"
import type { HttpClient } from "effect/http"
import { expect, refused, right, type SettingRefused, urlsOf } from "./SettingRefused.ts"
import * as Setting from "./Setting.ts"
import * as WalletConnection from "./WalletConnection.ts"

const withWallet: ReadonlyArray<Setting.Reader> = [...Setting.venue, "wallet"]

export const mainChainId = 42_161

/** Settings on which the wallet and the rail must agree. */
export const chain = {
  chainId: Setting.int("VENUE_ARBITRUM_CHAIN_ID", {
    default: mainChainId,
    meaning: "Chain id; the wallet signs only for this chain. Production requires the default",
    readers: withWallet,
    changes: "all nodes"
  }),
  token: Setting.string("VENUE_ARBITRUM_TOKEN", {
    default: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
    meaning: "Address of the token contract, by default native USDC; the wallet signs only for this token",
    readers: withWallet,
    changes: "all nodes"
  }),
  maxFeeGwei: Setting.int("VENUE_ARBITRUM_MAX_FEE_GWEI", {
    default: 5,
    unit: "gwei",
    meaning: "Maximum fee per gas; payments wait while the network fee is higher",
    readers: withWallet,
    changes: "process"
  })
}
export type Chain = { readonly [Name in keyof typeof chain]: Config.Success<(typeof chain)[Name]> }

/** Keys of a development venue without a wallet. */
export const keys = {
  hotKey: Config.option(
    Setting.secret("VENUE_WALLET_HOT_KEY", {
      meaning: "Private key of the Arbitrum One hot account; on a node, allowed only in development",
      readers: withWallet,
      changes: "process"
    })
  ),
  xprv: Config.option(
    Setting.secret("VENUE_WALLET_XPRV", {
      meaning: "Extended private key of the deposit addresses; on a node, allowed only in development",
      readers: withWallet,
      changes: "process"
    })
  )
}

const atOnce = (name: string, value: number, meaning: string) =>
  Setting.int(name, { default: value, meaning, readers: Setting.runners, changes: "process" })

export const all = Config.all({
  ...chain,
  ...keys,
  rpcUrls: Config.option(
    Setting.secret("VENUE_ARBITRUM_RPC_URLS", {
      meaning: "JSON-RPC URLs, separated by commas; without a URL, the rail is not connected",
      readers: Setting.runners,
      changes: "process"
    })
  ),
  leastEndpoints: Setting.int("VENUE_ARBITRUM_LEAST_ENDPOINTS", {
    default: 1,
    meaning: "Minimum number of responding endpoints; with fewer, the chain's state counts as unknown",
    readers: Setting.runners,
    changes: "process"
  }),
  staleSeconds: Setting.int("VENUE_ARBITRUM_STALE_SECONDS", {
    default: 60,
    unit: "s",
    meaning: "Maximum age of an endpoint's newest block; with an older one, the endpoint counts as unresponsive",
    readers: Setting.runners,
    changes: "process"
  }),
  xpub: Setting.string("VENUE_ARBITRUM_XPUB", {
    default: "",
    usual: "required if the rail is connected",
    meaning: "Extended public key of the deposit addresses",
    readers: Setting.venue,
    changes: "all nodes"
  }),
  blocksAtOnce: atOnce(
    "VENUE_ARBITRUM_BLOCKS_AT_ONCE",
    1_000,
    "Maximum number of blocks per request for logs, 1 to 100000"
  ),
  callsAtOnce: atOnce(
    "VENUE_ARBITRUM_CALLS_AT_ONCE",
    RpcEndpoint.defaultSizes.calls,
    "Maximum number of calls per JSON-RPC request, 1 to 100"
  ),
  addressesAtOnce: atOnce(
    "VENUE_ARBITRUM_ADDRESSES_AT_ONCE",
    RpcEndpoint.defaultSizes.addresses,
    "Maximum number of deposit addresses per request for logs, 1 to 500"
  ),
  balancesAtOnce: atOnce(
    "VENUE_ARBITRUM_BALANCES_AT_ONCE",
    RpcEndpoint.defaultSizes.balances,
    "Maximum number of balances per call, 1 to 500"
  ),
  firstBlock: Config.option(
    Setting.int("VENUE_ARBITRUM_FIRST_BLOCK", {
      usual: "the newest block",
      meaning: "First block that a new venue reads",
      readers: Setting.runners,
      changes: "process"
    })
  ),
  overdueSeconds: Setting.int("VENUE_ARBITRUM_OVERDUE_SECONDS", {
    default: 180,
    unit: "s",
    meaning:
      "Age at which an unconfirmed payment is replaced by a transaction with the same nonce and fees at least 12.5 % higher",
    readers: Setting.runners,
    changes: "process"
  }),
  sweepAboveUsd: Setting.int("VENUE_ARBITRUM_SWEEP_ABOVE", {
    default: 100,
    unit: "USD",
    meaning: "Minimum balance at which a deposit address is swept",
    readers: Setting.runners,
    changes: "process"
  }),
  ...WalletConnection.settings
})
export type ArbitrumSettings = Config.Success<typeof all>

/**
 * Returns the rail for a process without endpoints and wallet, which only derives deposit addresses. Returns an empty
 * option without an extended public key.
 */
export const addressesOnly = Effect.fn("ArbitrumSettings.addressesOnly")(function* (
  settings: ArbitrumSettings
): Effect.fn.Return<Option.Option<RailProvider>, SettingRefused> {
  if (settings.xpub === "") return Option.none()
  const { token } = yield* checked(settings)
  const addressAt = yield* right("VENUE_ARBITRUM_XPUB", DepositAddresses.make(settings.xpub))
  const elsewhere = Effect.fail(new SignerUnavailable({ reason: "this process makes no payments" }))
  const signer = Signer.of({ accounts: elsewhere, sign: () => elsewhere })
  return Option.some(railOf(settings, { endpoints: [], signer, addressAt, token }))
})

/** Returns the rail, or an empty option if the settings contain no endpoints. */
export const provider = Effect.fn("ArbitrumSettings.provider")(function* (
  settings: ArbitrumSettings
): Effect.fn.Return<Option.Option<RailProvider>, SettingRefused, HttpClient.HttpClient> {
  if (Option.isNone(settings.rpcUrls)) return Option.none()
  const { token } = yield* checked(settings)
  const addressAt = yield* right("VENUE_ARBITRUM_XPUB", DepositAddresses.make(settings.xpub))
  const signer = yield* Effect.flatMap(signerOf(settings, addressAt), (layer) => Effect.provide(Signer, layer))
  const endpoints = yield* endpointsOf(settings.rpcUrls.value, settings)
  return Option.some(railOf(settings, { endpoints, signer, addressAt, token }))
})

const railOf = (
  settings: ArbitrumSettings,
  made: Pick<ArbitrumRail.ArbitrumOptions, "signer" | "addressAt" | "token"> & {
    readonly endpoints: ReadonlyArray<RpcEndpoint.RpcEndpoint>
  }
): RailProvider => {
  const { blocksAtOnce, chainId, leastEndpoints, staleSeconds } = settings
  return ArbitrumRail.make({
    ...made,
    endpoints: RpcEndpoints.make({
      endpoints: made.endpoints,
      leastEndpoints,
      chainId,
      staleMillis: staleSeconds * 1_000
    }),
    chainId,
    blocksAtOnce,
    firstBlock: Option.getOrUndefined(settings.firstBlock),
    maxFeePerGas: weiOf(settings),
    overdueMillis: settings.overdueSeconds * 1_000,
    leastSweep: BigInt(settings.sweepAboveUsd) * BigInt(moneyScale)
  })
}

export const checkedChain = Effect.fnUntraced(function* ({ chainId, maxFeeGwei, token }: Chain) {
  yield* expect("VENUE_ARBITRUM_CHAIN_ID", chainId > 0, "a chain id above 0")
  yield* expect("VENUE_ARBITRUM_MAX_FEE_GWEI", maxFeeGwei > 0, "1 gwei or more")
  yield* expect(
    "VENUE_ARBITRUM_TOKEN",
    /^0x(?!0{40}$)[0-9a-fA-F]{40}$/.test(token),
    "the address of the token contract, not the zero address"
  )
  return { token: token.toLowerCase() }
})

export const weiOf = ({ maxFeeGwei }: Chain): bigint => BigInt(maxFeeGwei) * 1_000_000_000n

const checked = Effect.fnUntraced(function* (settings: ArbitrumSettings) {
  const { blocksAtOnce, overdueSeconds, staleSeconds, sweepAboveUsd } = settings
  yield* expect("VENUE_ARBITRUM_SWEEP_ABOVE", sweepAboveUsd >= 1, "1 USD or more")
  yield* expect("VENUE_ARBITRUM_BLOCKS_AT_ONCE", blocksAtOnce >= 1 && blocksAtOnce <= 100_000, "1 to 100000")
  yield* expect("VENUE_ARBITRUM_STALE_SECONDS", staleSeconds >= 1, "1 s or more")
  yield* expect("VENUE_ARBITRUM_OVERDUE_SECONDS", overdueSeconds >= 1, "1 s or more")
  return yield* checkedChain(settings)
})

const endpointsOf = Effect.fnUntraced(function* (urls: Redacted.Redacted, settings: ArbitrumSettings) {
  const { addressesAtOnce, balancesAtOnce, callsAtOnce, leastEndpoints: least } = settings
  const all = yield* urlsOf("VENUE_ARBITRUM_RPC_URLS", urls)
  yield* expect("VENUE_ARBITRUM_LEAST_ENDPOINTS", least >= 1 && least <= all.length, `1 to ${all.length}`)
  const sizes = { calls: callsAtOnce, addresses: addressesAtOnce, balances: balancesAtOnce }
  for (const name of ["calls", "addresses", "balances"] as const) {
    const most = name === "calls" ? 100 : 500
    yield* expect(
      `VENUE_ARBITRUM_${name.toUpperCase()}_AT_ONCE`,
      sizes[name] >= 1 && sizes[name] <= most,
      `1 to ${most}`
    )
  }
  return yield* Effect.forEach(all, (url, index) => RpcEndpoint.make(`endpoint ${index + 1}`, url, sizes))
})

/** Returns the signer: the wallet if the settings name one, otherwise the keys in this process. */
const signerOf = Effect.fnUntraced(function* (
  settings: ArbitrumSettings,
  addressAt: DepositAddresses.AddressAt
): Effect.fn.Return<Layer.Layer<Signer, never, HttpClient.HttpClient>, SettingRefused> {
  const { hotKey, xprv } = settings
  const wallet = yield* WalletConnection.signer(settings, { VENUE_WALLET_HOT_KEY: hotKey, VENUE_WALLET_XPRV: xprv })
  if (Option.isSome(wallet)) return wallet.value
  const missing =
    "the URL of the wallet; in development, you can set VENUE_WALLET_HOT_KEY and VENUE_WALLET_XPRV instead"
  if (Option.isNone(hotKey) || Option.isNone(xprv)) return yield* refused("VENUE_WALLET_URL", missing)
  const held = yield* keysOf(hotKey.value, xprv.value)
  const isOfAddresses = DepositAddresses.addressOf(held.deposits.deriveChild(0)) === addressAt(0)
  yield* expect("VENUE_WALLET_XPRV", isOfAddresses, "the private key for the public key in VENUE_ARBITRUM_XPUB")
  return Signer.layerLocal(held)
})

export const keysOf = (hotKey: Redacted.Redacted, xprv: Redacted.Redacted) =>
  right("VENUE_WALLET_HOT_KEY, VENUE_WALLET_XPRV", Transactions.keys(Redacted.value(hotKey), Redacted.value(xprv)))
