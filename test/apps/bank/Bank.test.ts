/** The simulated bank's process, which keeps its state across restarts. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as BankClient from "@venue/providers/rails/bank/Bank"
import { assert, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Redacted } from "effect"
import { join } from "node:path"
import * as Bank from "../../../apps/bank/Bank.ts"
import { details } from "../../providers/rails/bank/BankServer.ts"

const key = Redacted.make("key-of-the-bank")

const client = (file: string) =>
  Effect.flatMap(Bank.open({ port: 0, key, opening: 1_000_000_000n, file, webhook: undefined }), ({ url }) =>
    Effect.map(BankClient.make({ url, key }), (provider) => ({ provider, url }))
  )

const order = {
  withdrawalId: "w-1",
  destination: Redacted.make(JSON.stringify(details)),
  amount: 475_000_000n,
  paymentRail: "wire",
  sequence: 0,
  purpose: "pay",
  previous: []
} as const

const provided = Effect.provide(Layer.merge(NodeServices.layer, NodeHttpClient.layerUndici))

it.effect("I14: pays a payout once, and continues at the same statement cursor after a restart", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const file = join(yield* files.makeTempDirectoryScoped(), "bank.json")
    const { cursor, payment } = yield* Effect.scoped(
      Effect.gen(function* () {
        const { provider, url } = yield* client(file)
        const { cursor } = yield* provider.scan(null, Effect.succeed([]))
        yield* Effect.promise(() =>
          fetch(`${url}/simulator/credits`, {
            method: "POST",
            headers: { authorization: `Bearer ${Redacted.value(key)}` },
            body: JSON.stringify({ amount: "12.34", message: "A1B2C3D4E5F6", payment_rail: "fednow" })
          })
        )
        const payment = yield* provider.sign(order)
        yield* provider.send(payment)
        return { cursor, payment }
      })
    )
    assert.strictEqual((yield* files.stat(file)).mode & 0o777, 0o600)
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { provider, url } = yield* client(file)
        yield* provider.send(payment)
        const { arrivals } = yield* provider.scan(cursor, Effect.succeed([]))
        assert.deepStrictEqual(
          arrivals.map(({ amount, to }) => [amount, to]),
          [[12_340_000n, "A1B2C3D4E5F6"]]
        )
        const payouts = yield* Effect.promise(() =>
          fetch(`${url}/simulator/payouts`, { headers: { authorization: `Bearer ${Redacted.value(key)}` } }).then(
            (response) => response.json()
          )
        )
        assert.deepStrictEqual(payouts, [
          { id: "w-1", amount: "475.00", payment_rail: "wire", status: "pending", reason: null }
        ])
      })
    )
  }).pipe(Effect.scoped, provided)
)

it.effect("refuses a state file that the bank did not write, and leaves it unchanged", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const file = join(yield* files.makeTempDirectoryScoped(), "bank.json")
    yield* files.writeFileString(file, '{"name":7}')
    const error = yield* Effect.flip(client(file))
    assert.deepInclude(error, { _tag: "SettingRefused", setting: "VENUE_BANK_SIMULATOR_FILE" })
    assert.strictEqual(yield* files.readFileString(file), '{"name":7}')
  }).pipe(Effect.scoped, provided)
)

it.effect("refuses every request without the key, and changes nothing", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const { url } = yield* client(join(yield* files.makeTempDirectoryScoped(), "bank.json"))
    const requests = [
      ["GET", "/credits?limit=1"],
      ["GET", "/balance"],
      ["GET", "/simulator/payouts"],
      ["PUT", "/simulator/behaviour"],
      ["POST", "/simulator/credits"]
    ] as const
    for (const [method, path] of requests) {
      for (const authorization of ["", "Bearer ", "Bearer another"]) {
        const status = yield* Effect.promise(() =>
          fetch(`${url}${path}`, { method, headers: { authorization } }).then((response) => response.status)
        )
        assert.strictEqual(status, 401, `${method} ${path}`)
      }
    }
  }).pipe(Effect.scoped, provided)
)
