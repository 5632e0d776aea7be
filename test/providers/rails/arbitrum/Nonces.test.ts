/** Tests of withdrawal nonces on a real chain, while another user of the key also sends transactions. */
import * as ReasonText from "@venue/api/treasury/ReasonText"
import type { Outcome, Payment, RailProvider } from "@venue/providers/rails/RailProvider"
import * as Transactions from "@venue/providers/rails/arbitrum/Transactions"
import { Signer } from "@venue/providers/rails/Signer"
import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as Proxied from "./ProxiedEndpoint.ts"
import * as TestChain from "./TestChain.ts"
import * as TestRail from "./TestRail.ts"

/** A chain on which the venue has money. `sendByHand` sends a transaction that the venue does not know. */
const world = Effect.gen(function* () {
  const chain = yield* TestChain.make
  yield* chain.mint(TestRail.hot, 100_000_000n)
  yield* chain.giveGas(TestRail.hot, 10n ** 18n)
  yield* chain.mine(70)
  const rail = yield* TestRail.make(chain, { overdueMillis: 600_000 })
  const sendByHand = Effect.fnUntraced(function* (sequence: number) {
    yield* rail.send(yield* rail.sign(TestRail.order({ withdrawalId: `by hand ${sequence}`, amount: 1n, sequence })))
  })
  return { chain, rail, sendByHand }
})

const reasonOf = (rail: RailProvider, next: number, open = next) =>
  Effect.map(Effect.flip(rail.nextSequence({ next, open })), (error) =>
    error._tag === "SigningRefused" ? ReasonText.obstacle(error.obstacle) : String(error.cause)
  )

const tagOf = (rail: RailProvider, ...payments: ReadonlyArray<Payment>) =>
  Effect.map(rail.outcome(payments), ({ _tag }): Outcome["_tag"] => _tag)

it.live(
  "assigns the next nonce by the venue's own count while payments are pending, included or reorganised away",
  () =>
    Effect.gen(function* () {
      const { chain, rail, sendByHand } = yield* world
      const next = (used: number, open: number) => rail.nextSequence({ next: used, open })
      assert.strictEqual(yield* next(0, 0), 0)
      for (const sequence of [0, 1, 2]) yield* sendByHand(sequence)
      assert.strictEqual(yield* next(3, 0), 3)
      yield* chain.mine(3)
      assert.strictEqual(yield* next(3, 0), 3)
      yield* chain.reorganise(3)
      assert.strictEqual(yield* next(3, 0), 3)
    }).pipe(Effect.scoped)
)

it.live("skips a manually used nonce once its transaction is final, and assigns no nonce before that", () =>
  Effect.gen(function* () {
    const { chain, rail, sendByHand } = yield* world
    yield* sendByHand(0)
    assert.strictEqual(yield* rail.nextSequence({ next: 0, open: 0 }), 0, "nobody knows of it yet")
    yield* chain.mine()
    assert.match(
      yield* reasonOf(rail, 0),
      /unknown to the venue; the next withdrawal waits until that transaction is final/
    )
    yield* chain.reorganise(1)
    assert.strictEqual(yield* rail.nextSequence({ next: 0, open: 0 }), 0, "it is gone")
    yield* sendByHand(0)
    yield* chain.mine(65)
    assert.strictEqual(yield* rail.nextSequence({ next: 0, open: 0 }), 1)
    assert.strictEqual(yield* rail.nextSequence({ next: 1, open: 0 }), 1)
  }).pipe(Effect.scoped)
)

it.live("assigns no nonce while two endpoints disagree about the account's transaction count", () =>
  Effect.gen(function* () {
    const { chain } = yield* world
    const liar = yield* Proxied.proxied(chain.url)
    liar.answer((method, result) => (method === "eth_getTransactionCount" ? "0x7" : result))
    const rail = yield* TestRail.make(chain, { urls: [chain.url, liar.url] })
    assert.match(yield* reasonOf(rail, 0), /disagree/)
  }).pipe(Effect.scoped)
)

it.live("assigns no nonce if the account has sent fewer transactions than the venue has recorded", () =>
  Effect.gen(function* () {
    const { chain, rail, sendByHand } = yield* world
    yield* sendByHand(0)
    yield* chain.mine(65)
    assert.match(yield* reasonOf(rail, 5), /has sent 1 transactions, but earlier withdrawals used every nonce below 5/)
    assert.match(
      yield* reasonOf(rail, 5, 2),
      /has sent 1 transactions, but earlier withdrawals used every nonce below 2/
    )
    const payment = yield* rail.sign(TestRail.order({ sequence: 1 }))
    const keys = Result.getOrThrow(Transactions.keys(`0x${"11".repeat(32)}`, TestRail.xprv))
    const signer = yield* Effect.provide(Signer, Signer.layerLocal(keys))
    const other = yield* TestRail.make(chain, { signer })
    const cancel = TestRail.order({ sequence: 1, purpose: "cancel", previous: [payment] })
    const changed = Reflect.get(yield* Effect.flip(other.sign(cancel)), "obstacle")
    assert.deepInclude(changed, { _tag: "SignerChanged", signedBy: TestRail.hot })
  }).pipe(Effect.scoped)
)

it.live("fails a cancelled withdrawal whose nonce was used elsewhere, once that is final on every endpoint", () =>
  Effect.gen(function* () {
    const { chain, rail, sendByHand } = yield* world
    const payment = yield* rail.sign(TestRail.order())
    yield* sendByHand(0)
    yield* chain.mine()
    const cancel = yield* rail.sign(TestRail.order({ purpose: "cancel", previous: [payment] }))
    yield* rail.send(cancel)
    assert.strictEqual(yield* tagOf(rail, payment, cancel), "Pending", "it is not final")
    yield* chain.mine(65)
    assert.strictEqual(yield* tagOf(rail, payment), "Pending", "no operator has said so")
    const second = yield* Proxied.proxied(chain.url)
    const both = yield* TestRail.make(chain, { urls: [chain.url, second.url] })
    second.refuse((method) => (method === "eth_getTransactionReceipt" ? "it is busy" : undefined))
    assert.strictEqual(yield* tagOf(both, payment, cancel), "Pending", "one does not answer")
    second.fail(503)
    assert.strictEqual(yield* tagOf(both, payment, cancel), "Pending", "one is away")
    second.fail(undefined)
    second.refuse(() => undefined)
    assert.deepStrictEqual(yield* both.outcome([payment, cancel]), {
      _tag: "Failed",
      reference: null,
      reason: { _tag: "CancelOvertaken" }
    })
  }).pipe(Effect.scoped)
)
