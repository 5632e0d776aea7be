/** The wallet as a separate process: its record after a kill, and settings that it rejects. */
import { assert, it } from "@effect/vitest"
import { Signer } from "@venue/providers/rails/Signer"
import type { SigningOrder } from "@venue/providers/rails/SigningOrder"
import { Effect, Fiber, Result } from "effect"
import * as TestRail from "../providers/rails/arbitrum/TestRail.ts"
import { payment } from "../apps/wallet/Orders.ts"
import * as TestWallet from "../apps/wallet/TestWallet.ts"
import * as WalletProcess from "./WalletProcess.ts"

const sign = (order: SigningOrder) => Effect.flatMap(Signer, (signer) => signer.sign(order))

it.live(
  "keeps the record of every signed order if the wallet is killed",
  () =>
    Effect.gen(function* () {
      const environment = yield* WalletProcess.environment
      const orders = Array.from({ length: 400 }, (_, index) => payment({ withdrawalId: `w${index}`, nonce: index }))
      const answered = new Set<number>()
      for (let round = 0; round < 3; round += 1) {
        const wallet = yield* WalletProcess.running(environment)
        const asking = yield* Effect.forEach(
          orders,
          (order, index) =>
            Effect.map(Effect.result(sign(order)), (result) => {
              if (Result.isSuccess(result)) answered.add(index)
            }),
          { concurrency: 8 }
        ).pipe(Effect.provide(TestWallet.signerAt(wallet.url)), Effect.forkChild)
        const goal = answered.size + 20
        yield* Effect.suspend(() => Effect.sleep("2 millis")).pipe(
          Effect.repeat({ while: () => answered.size < goal && answered.size < orders.length })
        )
        yield* wallet.kill
        yield* Fiber.join(asking)
      }
      assert.isAbove(answered.size, 50)
      const last = yield* WalletProcess.running(environment)
      yield* Effect.gen(function* () {
        for (const index of answered) {
          const refused = yield* Effect.flip(sign({ ...orders[index]!, nonce: 1_000 + index }))
          assert.strictEqual(refused._tag, "SignerRefused")
        }
        // Requests that had no response can be signed now.
        for (const order of orders.slice(-3)) assert.isDefined(yield* sign(order))
      }).pipe(Effect.provide(TestWallet.signerAt(last.url)))
    }).pipe(Effect.scoped),
  900_000
)

it.live(
  "refuses to start without its record, on a public address, or with an invalid secret or key",
  () =>
    Effect.gen(function* () {
      const environment = yield* WalletProcess.environment
      const refusals = [
        [{ VENUE_WALLET_RECORD: `${environment["VENUE_WALLET_RECORD"]}-none` }, /might be paid twice/],
        [{ VENUE_WALLET_SECRET: "short" }, /VENUE_WALLET_SECRET: expected at least 32 characters/],
        [
          { VENUE_WALLET_HOST: "0.0.0.0" },
          /VENUE_WALLET_HOST: expected an address of this machine or of a private network/
        ],
        [{ VENUE_WALLET_HOT_KEY: "0x12" }, /expected the private key of the hot account/],
        [{ VENUE_WALLET_XPRV: TestRail.xpub }, /expected the extended private key/]
      ] as const
      for (const [changed, message] of refusals) {
        const { code, output } = yield* WalletProcess.ended({ ...environment, ...changed })
        assert.strictEqual(code, 1)
        assert.match(output, message)
        assert.notInclude(output, TestRail.hotKey.slice(2))
      }
      const second = yield* WalletProcess.ended(environment, "new-record")
      assert.match(second.output, /a record exists already/)
      const record = `${environment.VENUE_WALLET_RECORD}-new`
      const made = yield* WalletProcess.ended({ ...environment, VENUE_WALLET_RECORD: record }, "new-record")
      assert.match(made.output, /is the new signing record of hot account 0x/)
      const wallet = yield* WalletProcess.running({ ...environment, VENUE_WALLET_RECORD: record })
      assert.notInclude(wallet.output(), TestRail.hotKey.slice(2))
    }).pipe(Effect.scoped),
  900_000
)
