/** How a venue is connected to Arbitrum One: who answers for the chain, whose money it is, and how careful it is. */
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
import * as WalletConnection from "./WalletConnection.ts"

/** What the wallet and the rail must agree on. */
export const chain = {
  chainId: Config.Int("VENUE_ARBITRUM_CHAIN_ID").pipe(Config.withDefault(42_161)),
  /** USDC as its issuer has it on the chain. */
  token: Config.String("VENUE_ARBITRUM_TOKEN").pipe(Config.withDefault("0xaf88d065e77c8cC2239327C5EDb3A432268e5831")),
  maxFeeGwei: Config.Int("VENUE_ARBITRUM_MAX_FEE_GWEI").pipe(Config.withDefault(5))
}
export type Chain = { readonly [Name in keyof typeof chain]: Config.Success<(typeof chain)[Name]> }

/** The keys, where this process is to hold them itself. */
export const keys = {
  hotKey: Config.option(Config.Redacted("VENUE_WALLET_HOT_KEY")),
  xprv: Config.option(Config.Redacted("VENUE_WALLET_XPRV"))
}

export const all = Config.all({
  ...chain,
  ...keys,
  /** Without any the venue is not connected to the chain. */
  rpcUrls: Config.option(Config.Redacted("VENUE_ARBITRUM_RPC_URLS")),
  leastEndpoints: Config.Int("VENUE_ARBITRUM_LEAST_ENDPOINTS").pipe(Config.withDefault(1)),
  staleSeconds: Config.Int("VENUE_ARBITRUM_STALE_SECONDS").pipe(Config.withDefault(60)),
  xpub: Config.String("VENUE_ARBITRUM_XPUB").pipe(Config.withDefault("")),
  blocksAtOnce: Config.Int("VENUE_ARBITRUM_BLOCKS_AT_ONCE").pipe(Config.withDefault(1_000)),
  callsAtOnce: Config.Int("VENUE_ARBITRUM_CALLS_AT_ONCE").pipe(Config.withDefault(RpcEndpoint.defaultSizes.calls)),
  addressesAtOnce: Config.Int("VENUE_ARBITRUM_ADDRESSES_AT_ONCE").pipe(
    Config.withDefault(RpcEndpoint.defaultSizes.addresses)
  ),
  balancesAtOnce: Config.Int("VENUE_ARBITRUM_BALANCES_AT_ONCE").pipe(
    Config.withDefault(RpcEndpoint.defaultSizes.balances)
  ),
  firstBlock: Config.option(Config.Int("VENUE_ARBITRUM_FIRST_BLOCK")),
  overdueSeconds: Config.Int("VENUE_ARBITRUM_OVERDUE_SECONDS").pipe(Config.withDefault(180)),
  sweepAboveUsd: Config.Int("VENUE_ARBITRUM_SWEEP_ABOVE").pipe(Config.withDefault(100)),
  ...WalletConnection.settings
})
export type ArbitrumSettings = Config.Success<typeof all>

/** The rail as a process without its endpoints and its wallet has it: it makes addresses, and nothing else. */
export const addressesOnly = Effect.fn("ArbitrumSettings.addressesOnly")(function* (
  settings: ArbitrumSettings
): Effect.fn.Return<Option.Option<RailProvider>, SettingRefused> {
  if (settings.xpub === "") return Option.none()
  const { token } = yield* checked(settings)
  const addressAt = yield* right("VENUE_ARBITRUM_XPUB", DepositAddresses.make(settings.xpub))
  const elsewhere = Effect.fail(new SignerUnavailable({ reason: "this process pays nothing" }))
  const signer = Signer.of({ accounts: elsewhere, sign: () => elsewhere })
  return Option.some(railOf(settings, { endpoints: [], signer, addressAt, token }))
})

/** The rail; none where the venue is not connected. */
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
  yield* expect("VENUE_ARBITRUM_CHAIN_ID", chainId > 0, "the number of a chain")
  yield* expect("VENUE_ARBITRUM_MAX_FEE_GWEI", maxFeeGwei > 0, "1 or more")
  yield* expect(
    "VENUE_ARBITRUM_TOKEN",
    /^0x(?!0{40}$)[0-9a-fA-F]{40}$/.test(token),
    "the address of the token's contract, not the zero address"
  )
  return { token: token.toLowerCase() }
})

export const weiOf = ({ maxFeeGwei }: Chain): bigint => BigInt(maxFeeGwei) * 1_000_000_000n

const checked = Effect.fnUntraced(function* (settings: ArbitrumSettings) {
  const { blocksAtOnce, overdueSeconds, staleSeconds, sweepAboveUsd } = settings
  yield* expect("VENUE_ARBITRUM_SWEEP_ABOVE", sweepAboveUsd >= 1, "1 USD or more")
  yield* expect("VENUE_ARBITRUM_BLOCKS_AT_ONCE", blocksAtOnce >= 1 && blocksAtOnce <= 100_000, "1 to 100000")
  yield* expect("VENUE_ARBITRUM_STALE_SECONDS", staleSeconds >= 1, "1 or more")
  yield* expect("VENUE_ARBITRUM_OVERDUE_SECONDS", overdueSeconds >= 1, "1 or more")
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

/** A wallet of its own where there is one, and keys in this process where they are given. */
const signerOf = Effect.fnUntraced(function* (
  settings: ArbitrumSettings,
  addressAt: DepositAddresses.AddressAt
): Effect.fn.Return<Layer.Layer<Signer, never, HttpClient.HttpClient>, SettingRefused> {
  const { hotKey, xprv } = settings
  const wallet = yield* WalletConnection.signer(settings, { VENUE_WALLET_HOT_KEY: hotKey, VENUE_WALLET_XPRV: xprv })
  if (Option.isSome(wallet)) return wallet.value
  const missing = "a wallet, or VENUE_WALLET_HOT_KEY and VENUE_WALLET_XPRV for a development"
  if (Option.isNone(hotKey) || Option.isNone(xprv)) return yield* refused("VENUE_WALLET_URL", missing)
  const held = yield* keysOf(hotKey.value, xprv.value)
  const isOfAddresses = DepositAddresses.addressOf(held.deposits.deriveChild(0)) === addressAt(0)
  yield* expect("VENUE_WALLET_XPRV", isOfAddresses, "the private half of VENUE_ARBITRUM_XPUB")
  return Signer.layerLocal(held)
})

export const keysOf = (hotKey: Redacted.Redacted, xprv: Redacted.Redacted) =>
  right("VENUE_WALLET_HOT_KEY, VENUE_WALLET_XPRV", Transactions.keys(Redacted.value(hotKey), Redacted.value(xprv)))
