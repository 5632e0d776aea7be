/** Tests of holdings on TRON, which are read address by address while blocks become final. */
import type { PaymentOrder } from "@venue/providers/rails/RailProvider"
import * as TronAddress from "@venue/providers/rails/tron/TronAddress"
import { assert, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import * as Held from "../Held.ts"
import { logOf, solidDepth } from "./TronChain.ts"
import { hot, scene, somebody, type TronScene, withNodes } from "./TronServer.ts"

const mine = TronAddress.ofHex(`41${"0a".repeat(20)}`)
const other = TronAddress.ofHex(`41${"0b".repeat(20)}`)
const watched = Effect.succeed([mine, other])
const usd = (amount: number) => BigInt(amount) * 1_000_000n

const withdrawal: PaymentOrder = {
  withdrawalId: "w-1",
  destination: Redacted.make(TronAddress.ofHex(`41${"9e".repeat(20)}`)),
  amount: usd(40),
  paymentRail: null,
  sequence: 0,
  purpose: "pay",
  previous: []
}

const holdings = (name: string, test: (given: TronScene) => Effect.Effect<unknown, unknown>) =>
  it.effect(name, () => withNodes(Effect.flatMap(scene(), test)))

holdings(
  "I12: reads a balance again if it changes during the read, and returns no holdings while final blocks are unread",
  (tron) =>
    Effect.gen(function* () {
      const { chain, provider, servers } = tron
      // Each balance read makes a block final, and one of the blocks holds a transfer.
      const held = (to: string, addresses: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          chain.outside([logOf(somebody, to, usd(1))])
          yield* tron.mine(solidDepth)
          const { cursor } = yield* provider.scan(null, watched)
          servers[0]!.minesAt = "/walletsolidity/triggerconstantcontract"
          const answer = yield* provider.holdings(Held.question({ addresses, cursor }))
          servers[0]!.minesAt = undefined
          return Option.getOrUndefined(answer)
        })
      const before = chain.head.number
      assert.deepInclude(yield* held(somebody, [mine, other]), { amount: usd(1_000_000), block: before + 3 })
      // The transfer to the hot account makes the provider read that balance twice.
      const then = chain.head.number
      assert.deepInclude(yield* held(hot, [mine, other]), { amount: usd(1_000_001), block: then + 4 })
      const many = Array.from({ length: 30 }, (_, at) => TronAddress.ofHex(`41${"1c".repeat(19)}${10 + at}`))
      assert.isUndefined(yield* held(mine, many), "blocks became final that were not read when it was asked")
      const { cursor } = yield* provider.scan(null, watched)
      yield* tron.mine(solidDepth + 1)
      assert.isTrue(Option.isNone(yield* provider.holdings(Held.question({ cursor }))))
    })
)

holdings(
  "I12: counts an outgoing payment as part of the holdings until its block is final, and then deducts it",
  (tron) =>
    Effect.gen(function* () {
      const { provider } = tron
      const payment = yield* provider.sign(withdrawal)
      yield* provider.send(payment)
      yield* tron.mine(solidDepth)
      const before = yield* Held.holdings(provider, { sent: [[payment]] })
      assert.deepInclude(before, { amount: usd(1_000_000), hasLeft: [false] })
      yield* tron.mine(2)
      const after = yield* Held.holdings(provider, { sent: [[payment], []] })
      assert.deepInclude(after, { amount: usd(1_000_000 - 40), hasLeft: [true, false] })
    })
)

holdings("sums the final balances of the hot account and of all addresses, counting each account once", (tron) =>
  Effect.gen(function* () {
    const { deposit, provider } = tron
    yield* deposit(mine, usd(5))
    yield* tron.mine(3)
    assert.strictEqual(yield* Held.amount(provider, [mine, other]), usd(1_000_000))
    yield* tron.mine(solidDepth)
    assert.strictEqual(yield* Held.amount(provider, [mine, other, mine]), usd(1_000_005))
  })
)
