/** A venue's connection to TRON: nodes, keys, token and limits. */
import * as DepositAddresses from "@venue/providers/rails/arbitrum/DepositAddresses"
import { type RailProvider, SigningRefused } from "@venue/providers/rails/RailProvider"
import { Signer } from "@venue/providers/rails/Signer"
import * as TronAddress from "@venue/providers/rails/tron/TronAddress"
import * as TronNode from "@venue/providers/rails/tron/TronNode"
import * as TronNodes from "@venue/providers/rails/tron/TronNodes"
import * as TronRail from "@venue/providers/rails/tron/TronRail"
import * as TronTransaction from "@venue/providers/rails/tron/TronTransaction"
import { Config, Effect, Option, Redacted } from "effect"
import type { HttpClient } from "effect/http"
import { expect, refused, right, type SettingRefused, urlsOf } from "./SettingRefused.ts"
import * as Setting from "./Setting.ts"
import * as WalletConnection from "./WalletConnection.ts"

const readersOfChain: ReadonlyArray<Setting.Reader> = [...Setting.venue, "wallet", "tron-balances"]
const readersOfNodes: ReadonlyArray<Setting.Reader> = [...Setting.runners, "tron-balances"]

export const mainGenesis = "00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc"

/** Settings on which the wallet and the rail must agree. */
export const chain = Config.all({
  token: Setting.string("VENUE_TRON_TOKEN", {
    default: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
    meaning: "Address of the token contract, by default USDT; the wallet signs only for this token",
    readers: readersOfChain,
    changes: "all nodes"
  }),
  feeLimitTrx: Setting.int("VENUE_TRON_FEE_LIMIT_TRX", {
    default: 100,
    unit: "TRX",
    meaning: "Maximum fee for one payment",
    readers: readersOfChain,
    changes: "process"
  })
})

/** Key of the hot account. */
export const key = Config.option(
  Setting.secret("VENUE_WALLET_TRON_KEY", {
    meaning: "Private key of the TRON hot account; on a node, allowed only in development",
    readers: [...Setting.venue, "wallet"],
    changes: "process"
  })
)

export const all = Config.all({
  chain,
  key,
  nodeUrls: Config.option(
    Setting.secret("VENUE_TRON_NODE_URLS", {
      meaning: "URLs of TRON nodes, separated by commas; without a URL, the rail is not connected",
      readers: readersOfNodes,
      changes: "process"
    })
  ),
  apiKey: Config.option(
    Setting.secret("VENUE_TRON_API_KEY", {
      meaning: "API key that is sent to each TRON node in the header `TRON-PRO-API-KEY`",
      readers: readersOfNodes,
      changes: "process"
    })
  ),
  xpub: Setting.string("VENUE_TRON_XPUB", {
    default: "",
    usual: "required if the rail is connected",
    meaning: "Extended public key of the deposit addresses",
    readers: [...Setting.venue, "tron-balances"],
    changes: "all nodes"
  }),
  genesis: Setting.string("VENUE_TRON_GENESIS", {
    default: mainGenesis,
    usual: "main network",
    meaning: "Id of the chain's first block; TRON nodes on other chains are not used. Production requires the default",
    readers: [...Setting.venue, "tron-balances"],
    changes: "all nodes"
  }),
  ...WalletConnection.settings
})
export type TronSettings = Config.Success<typeof all>

/**
 * Returns the rail for a process without nodes and wallet, which only derives deposit addresses. Returns an empty
 * option without an extended public key.
 */
export const addressesOnly = Effect.fn("TronSettings.addressesOnly")(function* (
  settings: TronSettings
): Effect.fn.Return<Option.Option<RailProvider>, SettingRefused> {
  if (settings.xpub === "") return Option.none()
  const elsewhere = Effect.fail(TronNode.unavailable("this process makes no payments"))
  return Option.some(yield* railOf(settings, [], { hot: elsewhere, signed: () => elsewhere }))
})

/** Returns the rail, or an empty option if the settings contain no nodes. */
export const provider = Effect.fn("TronSettings.provider")(function* (
  settings: TronSettings
): Effect.fn.Return<Option.Option<RailProvider>, SettingRefused, HttpClient.HttpClient> {
  if (Option.isNone(settings.nodeUrls)) return Option.none()
  const nodes = yield* nodesOf(settings.nodeUrls.value, Option.getOrUndefined(settings.apiKey))
  return Option.some(yield* railOf(settings, nodes, yield* signingOf(settings)))
})

const railOf = Effect.fnUntraced(function* (
  settings: TronSettings,
  nodes: ReadonlyArray<TronNode.TronNode>,
  signing: Pick<TronRail.TronOptions, "hot" | "signed">
) {
  const { feeLimit } = yield* checkedChain(settings.chain)
  return TronRail.make({ ...(yield* seenOf(settings, nodes)), feeLimit, ...signing })
})

/** Returns a connection for reads, without a key. */
export const connection = Effect.fnUntraced(function* (settings: TronSettings) {
  const urls = Option.getOrElse(settings.nodeUrls, () => Redacted.make(""))
  return yield* seenOf(settings, yield* nodesOf(urls, Option.getOrUndefined(settings.apiKey)))
})

const seenOf = Effect.fnUntraced(function* (settings: TronSettings, nodes: ReadonlyArray<TronNode.TronNode>) {
  const { genesis, xpub } = settings
  const { token } = yield* checkedChain(settings.chain)
  yield* expect(
    "VENUE_TRON_GENESIS",
    /^[0-9a-f]{64}$/.test(genesis),
    "the id of the first block, 64 lower-case hex digits"
  )
  const addressAt = yield* right("VENUE_TRON_XPUB", DepositAddresses.make(xpub))
  return {
    nodes: TronNodes.make({ nodes, genesisId: genesis }),
    token: TronAddress.hexOf(token)!,
    addressAt: (index: number) => TronAddress.ofEvm(addressAt(index))
  }
})

export const checkedChain = Effect.fnUntraced(function* ({ feeLimitTrx, token }: TronSettings["chain"]) {
  yield* expect(
    "VENUE_TRON_TOKEN",
    TronAddress.isAddress(token),
    "the address of the token contract, not the zero address"
  )
  yield* expect("VENUE_TRON_FEE_LIMIT_TRX", feeLimitTrx >= 1 && feeLimitTrx <= 15_000, "1 to 15000")
  return { token, feeLimit: feeLimitTrx * 1_000_000 }
})

export const keyOf = Effect.fnUntraced(function* (key: Option.Option<Redacted.Redacted>) {
  return Option.isNone(key) ? undefined : yield* right("VENUE_WALLET_TRON_KEY", TronTransaction.keyOf(key.value))
})

const nodesOf = Effect.fnUntraced(function* (urls: Redacted.Redacted, apiKey: Redacted.Redacted | undefined) {
  const all = yield* urlsOf("VENUE_TRON_NODE_URLS", urls)
  return yield* Effect.forEach(all, (url) => TronNode.make({ url, apiKey }))
})

/**
 * Returns the signing functions. They use the wallet if the settings contain one, otherwise the key in this process.
 */
const signingOf = Effect.fnUntraced(function* (settings: TronSettings) {
  const wallet = yield* WalletConnection.signer(settings, { VENUE_WALLET_TRON_KEY: settings.key })
  if (Option.isNone(wallet)) {
    const held = yield* keyOf(settings.key)
    if (held === undefined)
      return yield* refused(
        "VENUE_WALLET_URL",
        "the URL of the wallet; in development, you can set VENUE_WALLET_TRON_KEY instead"
      )
    const signed: TronRail.TronOptions["signed"] = (order) =>
      Effect.sync(() => Redacted.make(TronTransaction.signedBy(held, order)))
    return { hot: Effect.succeed(TronAddress.hexOf(held.address)!), signed }
  }
  const signer = yield* Effect.provide(Signer, wallet.value)
  const hot = Effect.flatMap(Effect.mapError(signer.accounts, TronNode.unavailable), ({ tron }) => {
    const hex = tron === undefined ? undefined : TronAddress.hexOf(tron)
    return hex === undefined ? Effect.fail(TronNode.unavailable("the wallet has no key for TRON")) : Effect.succeed(hex)
  })
  const signed: TronRail.TronOptions["signed"] = (order) =>
    Effect.mapError(signer.sign(order), (error) =>
      error._tag === "SignerRefused"
        ? new SigningRefused({ rail: TronNode.rail, obstacle: { _tag: "WalletRefuses", text: error.reason } })
        : TronNode.unavailable(error)
    )
  return { hot, signed }
})
