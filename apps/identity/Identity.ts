/** Process that simulates an identity provider. Keeps its verifications in memory. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { urlOf } from "@venue/gateway/http/Listening"
import * as IdentitySimulatorServer from "@venue/simulation/identity/IdentitySimulatorServer"
import { Config, ConfigProvider, Console, Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { HttpRouter, HttpServer } from "effect/http"
import { createServer } from "node:http"
import * as SecretFiles from "../process/SecretFiles.ts"
import * as Setting from "../process/Setting.ts"
import { expect } from "../process/SettingRefused.ts"
import * as Settings from "../process/Settings.ts"
import * as StartFailure from "../process/StartFailure.ts"

export type IdentityOptions = Pick<
  IdentitySimulatorServer.IdentitySimulatorOptions,
  "key" | "callbackKey" | "callbackUrl"
> & { readonly port: number }

export const run = Effect.gen(function* () {
  const { url } = yield* open(yield* load)
  yield* Console.log(`venue identity: the simulated identity provider listens at ${url}`)
  return yield* Effect.never
})

/** Serves the provider until the scope closes. */
export const open = Effect.fn("Identity.open")(function* ({ port, ...options }: IdentityOptions) {
  let url = ""
  const provider = HttpRouter.serve(IdentitySimulatorServer.layer({ ...options, ownUrl: () => url }), {
    disableLogger: true,
    disableListenLog: true
  }).pipe(
    Layer.provide(Layer.merge(SecureRandom.layerWebCrypto, NodeHttpClient.layerUndici)),
    Layer.provideMerge(NodeHttpServer.layer(createServer, { host, port }))
  )
  const { address } = yield* Effect.provide(HttpServer.HttpServer, yield* Layer.build(provider))
  url = urlOf("http", host, address._tag === "UnixPathAddress" ? port : address.port)
  return { url }
})

const own = Config.all({
  port: Setting.port("VENUE_IDENTITY_SIMULATOR_PORT", {
    default: 4022,
    meaning: "Port of the simulated identity provider on 127.0.0.1",
    readers: ["identity"],
    changes: "process"
  }),
  callbackUrl: Setting.string("VENUE_IDENTITY_SIMULATOR_CALLBACK_URL", {
    default: "http://127.0.0.1:4000/provider/identity",
    meaning: "URL to which the simulated identity provider sends findings",
    readers: ["identity"],
    changes: "process"
  }),
  key: Settings.identityKey,
  callbackKey: Settings.identityCallbackKey
})

const load = Effect.gen(function* () {
  const environment = yield* SecretFiles.environment
  const settings = yield* own.pipe(Effect.provideService(ConfigProvider.ConfigProvider, environment))
  yield* expect("VENUE_IDENTITY_KEY", Redacted.value(settings.key) !== "", "the same value as on the gateways")
  const hasCallbackKey = Redacted.value(settings.callbackKey) !== ""
  yield* expect("VENUE_IDENTITY_CALLBACK_KEY", hasCallbackKey, "the same value as on the gateways")
  yield* expect("VENUE_IDENTITY_SIMULATOR_CALLBACK_URL", URL.canParse(settings.callbackUrl), "a URL")
  return settings
}).pipe(Effect.catchTag("ConfigError", (error) => Effect.fail(StartFailure.refusalOf(error))))

/** Loopback only, because anyone who reaches the provider can decide a verification. */
const host = "127.0.0.1"
