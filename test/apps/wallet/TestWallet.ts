/** Wallet in this process, with publicly known keys. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Signer } from "@venue/providers/rails/Signer"
import { Effect, FileSystem, Layer, Redacted, type Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import { join } from "node:path"
import * as SigningRecord from "../../../apps/wallet/SigningRecord.ts"
import * as Wallet from "../../../apps/wallet/Wallet.ts"
import * as TestRail from "../../providers/rails/arbitrum/TestRail.ts"
import { limits } from "./Orders.ts"
import { tronKey, tronLimits } from "./TronOrders.ts"

export const secret = "a-secret-of-32-characters-or-more"

/** Returns options of a wallet that signs for this token, with its own record. */
export const options = (token = limits.token): Effect.Effect<Wallet.WalletOptions, never, Scope.Scope> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const made = {
      host: "localhost",
      port: 0,
      secret: Redacted.make(secret),
      record: join(yield* files.makeTempDirectoryScoped(), "record"),
      keys: TestRail.keys,
      tronKey,
      limits: { ...limits, tron: tronLimits, token, maxPaidPerDay: 1_000_000_000_000n }
    }
    yield* SigningRecord.create(made.record, Wallet.ownerOf(made))
    return made
  }).pipe(Effect.provide(NodeServices.layer), Effect.orDie)

/** Serves until the scope closes. */
export const open = (made: Wallet.WalletOptions) =>
  Wallet.open(made).pipe(Effect.provide(NodeServices.layer), Effect.orDie)

export const signerAt = (url: string, known = secret): Layer.Layer<Signer> =>
  Signer.layer({ url, secret: Redacted.make(known) }).pipe(Layer.provide(FetchHttpClient.layer))
