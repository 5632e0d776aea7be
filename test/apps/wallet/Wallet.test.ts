import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Transactions from "@venue/providers/rails/arbitrum/Transactions"
import { Signer } from "@venue/providers/rails/Signer"
import type { SigningOrder } from "@venue/providers/rails/SigningOrder"
import * as TronAddress from "@venue/providers/rails/tron/TronAddress"
import * as TronTransaction from "@venue/providers/rails/tron/TronTransaction"
import * as Meter from "@venue/telemetry/Meter"
import { Clock, ConfigProvider, Effect, FileSystem, type Layer, Metric, Redacted, Result, type Scope } from "effect"
import * as SigningRecord from "../../../apps/wallet/SigningRecord.ts"
import * as Wallet from "../../../apps/wallet/Wallet.ts"
import * as WalletSettings from "../../../apps/wallet/WalletSettings.ts"
import * as TestRail from "../../providers/rails/arbitrum/TestRail.ts"
import * as PrometheusText from "../../telemetry/PrometheusText.ts"
import { cancel, destination, payment, sweep, token } from "./Orders.ts"
import * as TestWallet from "./TestWallet.ts"
import { tronKey, tronKeyText, tronPayment } from "./TronOrders.ts"

const sign = (order: SigningOrder) => Effect.flatMap(Signer, (signer) => signer.sign(order))

const briefly = (signed: Transactions.Signed | undefined) => [
  signed?.from,
  signed?.to?.toLowerCase(),
  signed?.nonce,
  signed?.chainId,
  signed?.value
]

/** Tests that every signer must pass, wherever its keys are stored. */
const contract = (name: string, signer: Effect.Effect<Layer.Layer<Signer>, never, Scope.Scope>) =>
  describe(name, () => {
    it.live("signs each order unchanged, from the account that the signer reports", () =>
      Effect.gen(function* () {
        const layer = yield* signer
        yield* Effect.gen(function* () {
          const { accounts } = yield* Signer
          assert.deepStrictEqual(yield* accounts, {
            hot: TestRail.hot,
            gasPayer: TestRail.gasPayer,
            tron: tronKey.address
          })
          const read = (order: SigningOrder) =>
            Effect.flatMap(sign(order), (bytes) => Transactions.read(Redacted.value(bytes)))
          const order = tronPayment(yield* Clock.currentTimeMillis)
          const onTron = Redacted.value(yield* sign(order))
          const hot = TronAddress.hexOf(tronKey.address)!
          assert.isTrue(TronTransaction.isSigned(onTron, TronTransaction.ordered(order, tronKey.address), hot))
          const paid = yield* read(payment({ withdrawalId: "withdrawal-2" }))
          assert.deepStrictEqual(briefly(paid), [TestRail.hot, token, 4, 42_161, 0n])
          assert.include(paid!.data, destination.slice(2).toLowerCase())
          const cancelled = yield* read(cancel({ withdrawalId: "withdrawal-2" }))
          assert.deepStrictEqual(briefly(cancelled), [TestRail.hot, TestRail.hot.toLowerCase(), 4, 42_161, 0n])
          assert.strictEqual(cancelled!.data, "0x")
          const swept = yield* read(sweep())
          assert.deepStrictEqual(briefly(swept), [TestRail.gasPayer, token, 4, 42_161, 0n])
          assert.include(swept!.data, TestRail.addressAt(3).slice(2).toLowerCase())
          assert.include(swept!.data, TestRail.hot.slice(2).toLowerCase())
        }).pipe(Effect.provide(layer))
      }).pipe(Effect.scoped)
    )
  })

contract("keys in this process", Effect.succeed(Signer.layerLocal(TestRail.keys, tronKey)))
contract(
  "a wallet",
  Effect.gen(function* () {
    const { url } = yield* Effect.flatMap(TestWallet.options(), TestWallet.open)
    return TestWallet.signerAt(url)
  })
)

describe("the wallet", () => {
  it.live("I14: refuses another payment of a withdrawal on TRON while the first is valid, even after a restart", () =>
    Effect.gen(function* () {
      const options = yield* TestWallet.options()
      const now = yield* Clock.currentTimeMillis
      const signing = (order: SigningOrder) =>
        Effect.scoped(
          Effect.gen(function* () {
            const { url } = yield* TestWallet.open(options)
            return yield* Effect.provide(Effect.result(sign(order)), TestWallet.signerAt(url))
          })
        )
      const first = yield* signing(tronPayment(now))
      assert.deepStrictEqual(yield* signing(tronPayment(now)), first)
      const second = yield* signing(tronPayment(now + 1, { solidMillis: now }))
      assert.isTrue(Result.isFailure(second) && second.failure._tag === "SignerRefused")
      const expired = now - 20 * 60_000
      const id = { withdrawalId: "withdrawal-3" }
      yield* signing(tronPayment(expired, id))
      const again = yield* signing(tronPayment(now, { ...id, solidMillis: expired + 600_000 }))
      assert.isTrue(Result.isSuccess(again))
    }).pipe(Effect.scoped)
  )

  it.live("refuses a second payment of the same withdrawal, even after a restart", () =>
    Effect.gen(function* () {
      const options = yield* TestWallet.options()
      const signing = <A, E>(work: Effect.Effect<A, E, Signer>) =>
        Effect.scoped(
          Effect.flatMap(TestWallet.open(options), ({ url }) => Effect.provide(work, TestWallet.signerAt(url)))
        )
      const bytes = yield* signing(sign(payment()))
      yield* signing(
        Effect.gen(function* () {
          const refused = yield* Effect.flip(sign(payment({ nonce: 5 })))
          assert.strictEqual(refused._tag, "SignerRefused")
          assert.match(refused.reason, /was already signed, with another nonce, amount or destination/)
          assert.strictEqual(Redacted.value(yield* sign(payment())), Redacted.value(bytes))
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("signs nothing more and exits once another wallet has written to its record", () =>
    Effect.gen(function* () {
      const options = yield* TestWallet.options()
      const [first, second] = [yield* TestWallet.open(options), yield* TestWallet.open(options)]
      yield* Effect.provide(sign(payment()), TestWallet.signerAt(first.url))
      yield* Effect.gen(function* () {
        const refused = yield* Effect.flip(sign(payment({ nonce: 5 })))
        assert.strictEqual(refused._tag, "SignerUnavailable")
        assert.match(String(yield* Effect.flip(second.broken)), /cannot be written, so nothing is signed/)
        assert.strictEqual((yield* Effect.flip(sign(payment())))._tag, "SignerUnavailable")
      }).pipe(Effect.provide(TestWallet.signerAt(second.url)))
    }).pipe(Effect.scoped)
  )

  it.live("I46: refuses a caller with a wrong secret, and shows no key in any response", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.flatMap(TestWallet.options(), TestWallet.open)
      const refused = yield* Effect.flip(
        Effect.provide(sign(payment()), TestWallet.signerAt(url, "another-secret-of-enough-characters"))
      )
      assert.strictEqual(refused.reason, "the wallet rejected the venue's secret")
      const answers = yield* Effect.promise(async () => {
        const header = { authorization: `Bearer ${TestWallet.secret}` }
        const requests = [
          fetch(`${url}/accounts`),
          fetch(`${url}/accounts`, { headers: header }),
          fetch(`${url}/sign`, { method: "POST", headers: header, body: "{}" }),
          fetch(`${url}/sign`, { method: "POST", headers: header, body: "x".repeat(20_000) }),
          fetch(`${url}/health/live`),
          fetch(`${url}/none`)
        ]
        const responses = await Promise.all(requests)
        return await Promise.all(responses.map(async (response) => [response.status, await response.text()] as const))
      })
      assert.deepStrictEqual(
        answers.map(([status]) => status),
        [401, 200, 422, 422, 200, 404]
      )
      const shown = JSON.stringify(answers)
      for (const key of [TestRail.hotKey.slice(2), TestRail.xprv, TestWallet.secret]) assert.notInclude(shown, key)
    }).pipe(Effect.scoped)
  )
})

describe("a wallet for TRON alone", () => {
  it.live("serves the day's payments, their limit and the refused orders as metrics, without the secret", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.flatMap(TestWallet.options(), TestWallet.open)
      yield* Effect.gen(function* () {
        yield* sign(payment({ withdrawalId: "withdrawal-1" }))
        yield* Effect.flip(sign(payment({ withdrawalId: "withdrawal-1", nonce: 99 })))
      }).pipe(Effect.provide(TestWallet.signerAt(url)))
      const response = yield* Effect.promise(() => fetch(`${url}/metrics`))
      const families = PrometheusText.parse(yield* Effect.promise(() => response.text()))
      const valueOf = (name: string) => families.get(name)?.samples.map(({ value }) => value)
      assert.deepStrictEqual(valueOf("venue_wallet_paid_today_usd"), [Number(payment().amount) / 1e6])
      assert.deepStrictEqual(valueOf("venue_wallet_day_limit_usd"), [1_000_000])
      assert.deepStrictEqual(valueOf("venue_wallet_refusals_total"), [1])
      assert.deepStrictEqual(valueOf("venue_ready"), [1])
    }).pipe(
      Effect.scoped,
      Effect.provideService(Metric.MetricRegistry, new Map()),
      Effect.provideService(Meter.Collectors, new Set())
    )
  )

  it.live("reports accounts and signs payments only for chains with a configured key", () =>
    Effect.gen(function* () {
      const { limits, ...made } = yield* TestWallet.options()
      const alone = { ...made, keys: undefined, limits: { ...limits, chainId: undefined } }
      const files = yield* FileSystem.FileSystem
      yield* files.remove(made.record)
      yield* SigningRecord.create(made.record, Wallet.ownerOf(alone))
      const { url } = yield* TestWallet.open(alone)
      yield* Effect.gen(function* () {
        const { accounts } = yield* Signer
        assert.deepStrictEqual(yield* accounts, { tron: tronKey.address })
        const before = yield* files.readFileString(made.record)
        for (const order of [payment(), cancel(), sweep()]) {
          const refused = yield* Effect.flip(sign(order))
          assert.include(refused.reason, "no keys for Arbitrum One")
        }
        assert.strictEqual(yield* files.readFileString(made.record), before)
        yield* sign(tronPayment(yield* Clock.currentTimeMillis))
      }).pipe(Effect.provide(TestWallet.signerAt(url)))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("requires the keys of at least one chain, and names the missing ones", () =>
    Effect.gen(function* () {
      const usual = { VENUE_WALLET_SECRET: TestWallet.secret, VENUE_WALLET_RECORD: "record" }
      const loaded = (keys: Readonly<Record<string, string>>) =>
        WalletSettings.load.pipe(
          Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({ ...usual, ...keys }))
        )
      const refused = (keys: Readonly<Record<string, string>>) =>
        Effect.map(Effect.flip(loaded(keys)), ({ message }) => message)
      // Containers pass unset variables as empty text.
      const tron = { VENUE_WALLET_TRON_KEY: tronKeyText, VENUE_WALLET_HOT_KEY: "", VENUE_WALLET_XPRV: "" }
      const { keys, limits } = yield* loaded(tron)
      assert.deepStrictEqual([keys, limits.chainId, limits.tron?.hot], [undefined, undefined, tronKey.address])
      assert.include(
        yield* refused({}),
        "VENUE_WALLET_HOT_KEY, VENUE_WALLET_XPRV: expected both keys for Arbitrum One, or"
      )
      const lone = yield* refused({ ...tron, VENUE_WALLET_HOT_KEY: TestRail.hotKey })
      assert.include(lone, "VENUE_WALLET_XPRV: expected a value, because")
      const other = yield* refused({ ...tron, VENUE_WALLET_XPRV: TestRail.xprv })
      assert.include(other, "VENUE_WALLET_HOT_KEY: expected a value, because")
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
