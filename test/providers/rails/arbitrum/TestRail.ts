/** The rail on a test chain, with publicly known keys. */
import type { Arrival, PaymentOrder, RailProvider } from "@venue/providers/rails/RailProvider"
import * as ArbitrumRail from "@venue/providers/rails/arbitrum/ArbitrumRail"
import * as DepositAddresses from "@venue/providers/rails/arbitrum/DepositAddresses"
import * as RpcEndpoint from "@venue/providers/rails/arbitrum/RpcEndpoint"
import * as RpcEndpoints from "@venue/providers/rails/arbitrum/RpcEndpoints"
import * as Transactions from "@venue/providers/rails/arbitrum/Transactions"
import { Signer } from "@venue/providers/rails/Signer"
import { Effect, Redacted, Result } from "effect"
import { FetchHttpClient } from "effect/http"
import { mnemonicToAccount } from "viem/accounts"
import { chainId, type TestChain } from "./TestChain.ts"

export const mnemonic = "test test test test test test test test test test test junk"
/** The node funds the accounts of its own derivation path, so the venue uses another path. */
export const parent = mnemonicToAccount(mnemonic, { path: "m/44'/60'/7'/0" }).getHdKey()
export const xpub = parent.publicExtendedKey
export const xprv = parent.privateExtendedKey!
/** Extended private key from which other addresses are derived. */
export const otherXprv = mnemonicToAccount(mnemonic, { path: "m/44'/60'/8'/0" }).getHdKey().privateExtendedKey!
export const hotKey = "0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba"
export const keys = Result.getOrThrow(Transactions.keys(hotKey, xprv))
export const hot = keys.hot.address
export const addressAt = Result.getOrThrow(DepositAddresses.make(xpub))
export const gasPayer = addressAt(DepositAddresses.gasPayerIndex)

export interface TestRailOptions extends Partial<Omit<ArbitrumRail.ArbitrumOptions, "endpoints">> {
  /** Replaces the chain's own URL. */
  readonly urls?: ReadonlyArray<string>
  readonly leastEndpoints?: number
  readonly staleMillis?: number
}

export const endpoints = Effect.fnUntraced(function* (
  chain: TestChain,
  { leastEndpoints = 1, staleMillis = 600_000, urls = [chain.url] }: TestRailOptions = {}
) {
  const each = yield* Effect.forEach(urls, (url, index) =>
    RpcEndpoint.make(`endpoint ${index + 1}`, Redacted.make(url))
  )
  return RpcEndpoints.make({ endpoints: each, leastEndpoints, chainId, staleMillis })
}, Effect.provide(FetchHttpClient.layer))

export const make = Effect.fnUntraced(function* (
  chain: TestChain,
  options: TestRailOptions = {}
): Effect.fn.Return<RailProvider> {
  const signer = yield* Effect.provide(Signer, Signer.layerLocal(keys))
  return ArbitrumRail.make({
    signer,
    addressAt,
    chainId,
    token: chain.token,
    blocksAtOnce: 1_000,
    firstBlock: undefined,
    maxFeePerGas: 100_000_000_000n,
    overdueMillis: 0,
    leastSweep: 10_000_000n,
    ...options,
    endpoints: yield* endpoints(chain, options)
  })
})

export const watching = (...addresses: ReadonlyArray<string>) => Effect.succeed(addresses)

/** An unsigned withdrawal of 40 USD. */
export const order = (changed: Partial<PaymentOrder> = {}): PaymentOrder => ({
  withdrawalId: "withdrawal-1",
  destination: Redacted.make("0x90F79bf6EB2c4f870365E785982E1f101E93b906"),
  amount: 40_000_000n,
  paymentRail: null,
  sequence: 0,
  purpose: "pay",
  previous: [],
  ...changed
})

export const told = ({ amount, to }: Arrival) => ({ to, amount })
