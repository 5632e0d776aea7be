/** Wallet process: holds the keys of the hot account and of the deposit addresses, and signs what its policy allows. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { urlOf } from "@venue/gateway/http/Listening"
import type { Keys } from "@venue/providers/rails/arbitrum/Transactions"
import { Signer } from "@venue/providers/rails/Signer"
import type { TronKey } from "@venue/providers/rails/tron/TronTransaction"
import { Deferred, Effect, Layer, Option, type Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { createServer } from "node:http"
import * as NodeLog from "../process/NodeLog.ts"
import * as WitnessFile from "../process/witness/WitnessFile.ts"
import * as PrivateHost from "./PrivateHost.ts"
import type { Limits } from "./SigningPolicy.ts"
import * as SigningRecord from "./SigningRecord.ts"
import * as WalletMetrics from "./WalletMetrics.ts"
import * as WalletServer from "./WalletServer.ts"
import * as WalletSettings from "./WalletSettings.ts"

export interface WalletOptions {
  /** Address or name of this machine. */
  readonly host: string
  readonly port: number
  readonly secret: Redacted.Redacted
  /** Path of the signing record. */
  readonly record: string
  /** Directory of the witness that the wallet keeps for the runners; none by default. */
  readonly witnessDir?: Option.Option<string>
  readonly keys: Keys | undefined
  readonly tronKey?: TronKey | undefined
  readonly limits: Limits
}

/** Runs the wallet. With the argument `new-record`, creates an empty record, once per key, and exits. */
export const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const settings = yield* WalletSettings.load
  const owner = ownerOf(settings)
  if (args[0] === "new-record") {
    yield* SigningRecord.create(settings.record, owner)
    return yield* NodeLog.announce(`${settings.record} is the new signing record of hot account ${owner.hot}`)
  }
  NodeLog.identify("wallet")
  const { broken, url } = yield* open(settings)
  yield* NodeLog.announce(`the wallet of hot account ${owner.hot} listens at ${url}`)
  return yield* broken
})

/** Returns the record's owner. For a wallet that signs only on TRON, this is the TRON account and chain id 0. */
export const ownerOf = ({
  keys,
  limits,
  tronKey
}: Pick<WalletOptions, "keys" | "limits" | "tronKey">): SigningRecord.Owner => ({
  hot: keys?.hot.address ?? tronKey?.address ?? "",
  chainId: limits.chainId ?? 0
})

/** Serves until the scope closes. `broken` fails when the wallet can no longer sign. */
export const open = Effect.fn("Wallet.open")(function* (options: WalletOptions) {
  const host = yield* PrivateHost.addressOf(options.host)
  const record = yield* SigningRecord.open(options.record, ownerOf(options))
  const { witnessDir = Option.none() } = options
  const witness = Option.isNone(witnessDir) ? undefined : yield* WitnessFile.open(witnessDir.value, "wallet")
  const broken = yield* Deferred.make<never, SigningRecord.RecordBroken>()
  const { keys, limits, port, secret, tronKey } = options
  yield* WalletMetrics.collect(record, limits)
  const server = HttpRouter.serve(WalletServer.routes({ secret, limits, record, broken, witness }), {
    disableLogger: true,
    disableListenLog: true
  }).pipe(
    Layer.provide(Signer.layerLocal(keys, tronKey)),
    Layer.provideMerge(NodeHttpServer.layer(() => createServer(patience), { host, port }))
  )
  const { address } = yield* Effect.provide(HttpServer.HttpServer, yield* Layer.build(server))
  const actual = address._tag === "UnixPathAddress" ? port : address.port
  return { url: urlOf("http", host, actual), broken: Deferred.await(broken) }
})

const patience = { requestTimeout: 10_000, headersTimeout: 5_000, connectionsCheckingInterval: 1_000 }
