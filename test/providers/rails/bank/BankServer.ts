/** Simulated bank on its own port, with controls for a test. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Bank from "@venue/providers/rails/bank/Bank"
import { BankSimulator, calm } from "@venue/simulation/bank/BankSimulator"
import * as BankSimulatorServer from "@venue/simulation/bank/BankSimulatorServer"
import type { RailProvider } from "@venue/providers/rails/RailProvider"
import { Context, Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { HttpRouter, HttpServer } from "effect/http"
import { createServer } from "node:http"

export const bankKey = "key-of-the-bank-4711"

export class BankUnderTest extends Context.Service<
  BankUnderTest,
  { readonly url: string; readonly provider: RailProvider; readonly simulator: BankSimulator["Service"] }
>()("test/BankUnderTest") {}

const simulator = BankSimulator.layer({ opening: 1_000_000_000_000n }).pipe(Layer.provide(SecureRandom.layerWebCrypto))

export const layerOf = (webhook?: BankSimulatorServer.Webhook) =>
  Layer.effect(
    BankUnderTest,
    Effect.gen(function* () {
      const server = yield* HttpServer.HttpServer
      const url = HttpServer.formatAddress(server.address)
      const simulator = yield* BankSimulator
      yield* simulator.behave({ ...calm, settle_after_seconds: null })
      return { url, provider: yield* Bank.make({ url, key: Redacted.make(bankKey) }), simulator }
    })
  ).pipe(
    Layer.provide(
      HttpRouter.serve(BankSimulatorServer.layer({ key: Redacted.make(bankKey), webhook }), {
        disableLogger: true,
        disableListenLog: true
      })
    ),
    Layer.provide(Layer.mergeAll(SecureRandom.layerWebCrypto, NodeHttpClient.layerUndici)),
    Layer.provideMerge(simulator),
    Layer.provide(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
  )

/** Values that must never appear in logs or errors. */
export const canaries = ["Cordelia-Canary", "Finch-Canary", "98765432109876", "17 Canary Row"]

export const details = {
  first_name: "Cordelia-Canary",
  last_name: "Finch-Canary",
  routing_number: "021000021",
  bank_name: "First Example",
  account_number: "98765432109876",
  type: "checking",
  street_line_1: "17 Canary Row",
  country: "USA",
  state: "NY",
  city: "Albany",
  postal_code: "12207"
}
