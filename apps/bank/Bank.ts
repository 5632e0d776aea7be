/** Process that simulates a venue's bank. Keeps its state in a file if one is configured. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { urlOf } from "@venue/gateway/http/Listening"
import { BankSimulator, BankState } from "@venue/simulation/bank/BankSimulator"
import * as BankSimulatorServer from "@venue/simulation/bank/BankSimulatorServer"
import * as StandardWebhook from "@venue/providers/StandardWebhook"
import { Config, Console, Effect, FileSystem, Layer, Option, Redacted, Schema } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { HttpRouter, HttpServer } from "effect/http"
import { createServer } from "node:http"
import * as BankSettings from "../process/BankSettings.ts"
import * as ToolSettings from "../process/ToolSettings.ts"
import * as Setting from "../process/Setting.ts"
import { SettingRefused } from "../process/SettingRefused.ts"

export interface BankOptions {
  readonly port: number
  readonly key: Redacted.Redacted
  /** Opening balance of the venue's account, in 1e-6 USD. */
  readonly opening: bigint
  /**
   * State file, or undefined if the state is only in memory. Only the file's owner can read it, because it holds
   * payees' bank details.
   */
  readonly file: string | undefined
  readonly webhook: BankSimulatorServer.Webhook | undefined
}

export const run = Effect.gen(function* () {
  const { url } = yield* open(yield* load)
  yield* Console.log(`venue bank: the simulated bank listens at ${url}`)
  return yield* Effect.never
})

/** Serves the bank until the scope closes. */
export const open = Effect.fn("Bank.open")(function* ({ file, key, opening, port, webhook }: BankOptions) {
  const keep = file === undefined ? { state: undefined } : yield* keptIn(file)
  const bank = HttpRouter.serve(BankSimulatorServer.layer({ key, webhook }), {
    disableLogger: true,
    disableListenLog: true
  }).pipe(
    Layer.provide(BankSimulator.layer({ opening, ...keep })),
    Layer.provide(Layer.merge(SecureRandom.layerWebCrypto, NodeHttpClient.layerUndici)),
    Layer.provideMerge(NodeHttpServer.layer(createServer, { host, port }))
  )
  const { address } = yield* Effect.provide(HttpServer.HttpServer, yield* Layer.build(bank))
  return { url: urlOf("http", host, address._tag === "UnixPathAddress" ? port : address.port) }
})

const Kept = Schema.fromJsonString(BankState)
const encode = Schema.encodeSync(Kept)

/** Loads the state file. Each change replaces the whole file. */
const keptIn = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  const refused = (expected: string) => new SettingRefused({ setting: "VENUE_BANK_SIMULATOR_FILE", expected })
  const state = (yield* files.exists(file))
    ? yield* files.readFileString(file).pipe(
        Effect.flatMap(Schema.decodeUnknownEffect(Kept)),
        Effect.mapError(() => refused("a file that this program wrote, or a path that does not exist"))
      )
    : undefined
  const save = (next: BankState) =>
    files
      .writeFileString(`${file}.new`, encode(next), { mode: 0o600 })
      .pipe(Effect.andThen(files.rename(`${file}.new`, file)), Effect.orDie)
  return { state, save }
})

const own = Config.all({
  port: Setting.port("VENUE_BANK_SIMULATOR_PORT", {
    default: 4021,
    meaning: "Port of the simulated bank on 127.0.0.1",
    readers: ["bank"],
    changes: "process"
  }),
  key: BankSettings.key,
  opening: Setting.int("VENUE_BANK_SIMULATOR_OPENING", {
    default: 0,
    unit: "USD",
    meaning: "Opening balance of a new simulated bank; payouts above the balance fail",
    readers: ["bank"],
    changes: "process"
  }),
  file: Config.option(
    Setting.string("VENUE_BANK_SIMULATOR_FILE", {
      meaning: "File that stores the state of the simulated bank; without it, each start creates a new bank",
      readers: ["bank"],
      changes: "process"
    })
  ),
  webhookUrl: Config.option(
    Setting.string("VENUE_BANK_SIMULATOR_WEBHOOK_URL", {
      meaning: "URL to which the simulated bank sends webhooks",
      readers: ["bank"],
      changes: "process"
    })
  ),
  webhookSecret: Config.withDefault(BankSettings.webhookSecret, Redacted.make(""))
})

const load = Effect.gen(function* () {
  const { file, key, opening, port, webhookSecret, webhookUrl } = yield* ToolSettings.read(own)
  if (Option.isSome(webhookUrl) && !URL.canParse(webhookUrl.value))
    return yield* new SettingRefused({ setting: "VENUE_BANK_SIMULATOR_WEBHOOK_URL", expected: "a URL" })
  if (Option.isSome(webhookUrl) && !StandardWebhook.isSecret(webhookSecret))
    return yield* new SettingRefused({ setting: "VENUE_BANK_WEBHOOK_SECRET", expected: StandardWebhook.secretForm })
  if (opening < 0)
    return yield* new SettingRefused({ setting: "VENUE_BANK_SIMULATOR_OPENING", expected: "whole USD, 0 or more" })
  return {
    port,
    key,
    opening: BigInt(opening) * 1_000_000n,
    file: Option.getOrUndefined(file),
    webhook: Option.getOrUndefined(Option.map(webhookUrl, (url) => ({ url, secret: webhookSecret })))
  }
})

/** Loopback only, because anyone who reaches the simulated bank can create money. */
const host = "127.0.0.1"
