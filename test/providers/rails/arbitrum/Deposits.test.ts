import * as Cursor from "@venue/providers/rails/arbitrum/Cursor"
import { Signer, SignerUnavailable } from "@venue/providers/rails/Signer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Held from "../Held.ts"
import * as TestChain from "./TestChain.ts"
import * as TestRail from "./TestRail.ts"

const [first, second, third] = [0, 1, 2].map(TestRail.addressAt) as [string, string, string]

describe("deposits on a real chain", () => {
  it.live("gives a transfer the same id in repeated scans, and counts confirmations from the transfer's block", () =>
    Effect.gen(function* () {
      const chain = yield* TestChain.make
      const rail = yield* TestRail.make(chain)
      const { cursor } = yield* rail.scan(null, TestRail.watching(first, second))
      const hash = yield* chain.mint(first, 25_000_000n)
      yield* chain.mint(third, 1n)
      yield* chain.mine()
      const found = yield* rail.scan(cursor, TestRail.watching(first, second))
      assert.deepStrictEqual(found.arrivals.map(TestRail.told), [{ to: first, amount: 25_000_000n }])
      assert.strictEqual(found.arrivals[0]!.txHash, hash)
      const again = yield* rail.scan(found.cursor, TestRail.watching(first, second))
      assert.deepStrictEqual([again.arrivals, again.cursor], [found.arrivals, found.cursor])

      const confirmations = (blocks: number) =>
        Effect.gen(function* () {
          yield* chain.mine(blocks)
          return (yield* rail.arrivalStates(found.arrivals))[0]
        })
      assert.deepStrictEqual(yield* confirmations(18), { _tag: "Present", confirmations: 19, isFinal: false })
      assert.deepStrictEqual(yield* confirmations(1), { _tag: "Present", confirmations: 20, isFinal: false })
      assert.deepStrictEqual(yield* confirmations(60), { _tag: "Present", confirmations: 80, isFinal: true })
    }).pipe(Effect.scoped)
  )

  it.live("reports third-party transfers to the paying account as arrivals, but not the venue's sweeps", () =>
    Effect.gen(function* () {
      const chain = yield* TestChain.make
      yield* chain.giveGas(TestRail.gasPayer, 10n ** 18n)
      const rail = yield* TestRail.make(chain)
      const away = { accounts: Effect.fail(new SignerUnavailable({ reason: "it is away" })), sign: () => Effect.never }
      const without = yield* TestRail.make(chain, { signer: Signer.of(away) })
      const never = yield* without.scan(null, TestRail.watching(first))
      const start = yield* rail.scan(null, TestRail.watching(first))
      yield* chain.mint(TestRail.hot, 3_000_000n)
      yield* chain.mint(first, 40_000_000n)
      yield* chain.mine(20)
      const found = yield* rail.scan(start.cursor, TestRail.watching(first))
      assert.deepStrictEqual(found.arrivals.map(TestRail.told), [
        { to: TestRail.hot, amount: 3_000_000n },
        { to: first, amount: 40_000_000n }
      ])
      assert.deepInclude((yield* rail.arrivalStates(found.arrivals))[0], { _tag: "Present", confirmations: 20 })
      // Deposits to users are found even if the scan never knew the paying account.
      const known = yield* without.scan(never.cursor, TestRail.watching(first))
      assert.deepStrictEqual(known.arrivals.map(TestRail.told), [{ to: first, amount: 40_000_000n }])

      const swept = { index: 0, address: first, amount: 40_000_000n, sequence: 0, previous: [] }
      yield* rail.send(yield* rail.sweeper!.sign(swept))
      yield* chain.mine()
      assert.strictEqual(yield* chain.balanceOf(TestRail.hot), 43_000_000n)
      const after = yield* rail.scan(found.cursor, TestRail.watching(first))
      assert.deepStrictEqual(after.arrivals, found.arrivals)
      // While the wallet is unavailable, the paying account is known from an earlier scan.
      yield* chain.mint(TestRail.hot, 4_000_000n)
      yield* chain.mine()
      const late = yield* without.scan(after.cursor, TestRail.watching(first))
      assert.deepStrictEqual(late.arrivals.slice(found.arrivals.length).map(TestRail.told), [
        { to: TestRail.hot, amount: 4_000_000n }
      ])
      yield* chain.mine(19)
      assert.strictEqual(yield* Held.amount(rail, [first, TestRail.hot]), 47_000_000n)
    }).pipe(Effect.scoped)
  )

  it.live(
    "numbers each transfer by its position in the transaction, even if other transactions precede it in the block",
    () =>
      Effect.gen(function* () {
        const chain = yield* TestChain.make
        const rail = yield* TestRail.make(chain)
        const { cursor } = yield* rail.scan(null, TestRail.watching(first, second))
        const [owner] = (yield* chain.rpc("eth_accounts")) as [string]
        yield* chain.mint(owner, 100n)
        yield* chain.mine()
        // Another transaction precedes the transfers in their block.
        yield* chain.mint(third, 1n)
        const hash = yield* chain.ask("transferMany", [third, first, second, first], [1n, 2n, 3n, 0n])
        yield* chain.mine()
        const { arrivals } = yield* rail.scan(cursor, TestRail.watching(first, second))
        assert.deepStrictEqual(
          arrivals.map(({ amount, logIndex, to, txHash }) => ({ amount, logIndex, to, txHash })),
          [
            { amount: 2n, logIndex: 1, to: first, txHash: hash },
            { amount: 3n, logIndex: 2, to: second, txHash: hash }
          ]
        )
      }).pipe(Effect.scoped)
  )

  for (const depth of [3, 30]) {
    it.live(`a reorganisation of ${depth} blocks removes a transfer until the transfer is included again`, () =>
      Effect.gen(function* () {
        const chain = yield* TestChain.make
        const rail = yield* TestRail.make(chain)
        yield* chain.mine(70)
        const start = yield* rail.scan(null, TestRail.watching(first, second))
        const early = yield* chain.mint(second, 7_000_000n)
        yield* chain.mine(1)
        const hash = yield* chain.mint(first, 5_000_000n)
        const bytes = yield* rawOf(chain, hash)
        yield* chain.mine(depth)
        const found = yield* rail.scan(start.cursor, TestRail.watching(first, second))
        assert.deepStrictEqual(
          found.arrivals.map(({ txHash }) => txHash),
          [early, hash]
        )

        yield* chain.reorganise(depth)
        const states = yield* rail.arrivalStates(found.arrivals)
        assert.deepStrictEqual(
          states.map(({ _tag }) => _tag),
          ["Present", "Gone"]
        )
        const again = yield* rail.scan(found.cursor, TestRail.watching(first, second))
        assert.deepStrictEqual(
          again.arrivals.map(({ txHash }) => txHash),
          [early]
        )

        yield* chain.rpc("eth_sendRawTransaction", bytes)
        yield* chain.mine()
        const back = yield* rail.scan(again.cursor, TestRail.watching(first, second))
        assert.deepStrictEqual(
          back.arrivals.map(({ logIndex, txHash }) => ({ logIndex, txHash })),
          found.arrivals.map(({ logIndex, txHash }) => ({ logIndex, txHash }))
        )
        assert.notStrictEqual(back.arrivals[1]!.block!.hash, found.arrivals[1]!.block!.hash)
        const [, state] = yield* rail.arrivalStates(back.arrivals)
        assert.deepStrictEqual(state, { _tag: "Present", confirmations: 1, isFinal: false })
        // The arrival with its old block is still found, for callers that have not scanned the new block.
        assert.deepStrictEqual(yield* rail.arrivalStates([found.arrivals[1]!]), [state!])
      }).pipe(Effect.scoped)
    )
  }

  it.live("fails the scan with a reason if a final block was replaced", () =>
    Effect.gen(function* () {
      const chain = yield* TestChain.make
      const rail = yield* TestRail.make(chain)
      yield* chain.mine(10)
      const { cursor } = yield* rail.scan(null, TestRail.watching(first))
      const other = cursor.replaceAll(/0x[0-9a-f]{64}/g, `0x${"1".repeat(64)}`)
      const refused = yield* Effect.flip(rail.scan(other, TestRail.watching(first)))
      assert.match(String(refused.cause), /was final but has been replaced/)
    }).pipe(Effect.scoped)
  )

  it.live("reads many blocks in bounded parts without a gap", () =>
    Effect.gen(function* () {
      const chain = yield* TestChain.make
      const rail = yield* TestRail.make(chain, { blocksAtOnce: 1, firstBlock: 1 })
      for (let block = 0; block < 230; block += 1) {
        if (block % 50 === 0) yield* chain.mint(first, BigInt(block + 1))
        yield* chain.mine()
      }
      const some = yield* rail.scan(null, TestRail.watching(first))
      const rest = yield* rail.scan(some.cursor, TestRail.watching(first))
      assert.deepStrictEqual(
        some.arrivals.map(({ amount }) => amount),
        [1n, 51n, 101n, 151n]
      )
      assert.deepStrictEqual(
        rest.arrivals.map(({ amount }) => amount),
        [151n, 201n]
      )
    }).pipe(Effect.scoped)
  )

  it.live("advances even if one scan covers fewer blocks than the next scan repeats", () =>
    Effect.gen(function* () {
      const chain = yield* TestChain.make
      const rail = yield* TestRail.make(chain, { blocksAtOnce: 1, firstBlock: 1 })
      const others = Array.from({ length: 1_600 }, (_, index) => `0x${(index + 0x1000).toString(16).padStart(40, "0")}`)
      yield* chain.mine(130)
      let cursor: string | null = null
      const read: Array<number> = []
      for (let scan = 0; scan < 3; scan++) {
        cursor = (yield* rail.scan(cursor, TestRail.watching(...others))).cursor
        read.push((yield* Cursor.decode(cursor)).read.number)
      }
      assert.deepStrictEqual(read.slice(0, 2), [50, 100])
      assert.isAtLeast(read[2]!, 130)
    }).pipe(Effect.scoped)
  )

  it.live("watches more addresses than one log filter accepts", () =>
    Effect.gen(function* () {
      const chain = yield* TestChain.make
      const rail = yield* TestRail.make(chain)
      const others = Array.from({ length: 1_100 }, (_, index) => `0x${(index + 0x1000).toString(16).padStart(40, "0")}`)
      const addresses = [first, ...others.slice(0, 600), second, ...others.slice(600), third]
      const { cursor } = yield* rail.scan(null, TestRail.watching(...addresses))
      for (const address of [third, first, second]) yield* chain.mint(address, 9n)
      yield* chain.mine()
      const { arrivals } = yield* rail.scan(cursor, TestRail.watching(...addresses))
      assert.sameMembers(
        arrivals.map(({ to }) => to),
        [first, second, third]
      )
    }).pipe(Effect.scoped)
  )

  it.live(
    "I12: counts an outgoing payment as part of the holdings until it has 20 confirmations, and then deducts it",
    () =>
      Effect.gen(function* () {
        const chain = yield* TestChain.make
        const rail = yield* TestRail.make(chain)
        yield* chain.mint(TestRail.hot, 100_000_000n)
        yield* chain.giveGas(TestRail.hot, 10n ** 18n)
        yield* chain.mine(20)
        const payment = yield* rail.sign(TestRail.order())
        yield* rail.send(payment)
        yield* chain.mine(19)
        const before = yield* Held.holdings(rail, { sent: [[payment]] })
        assert.deepInclude(before, { amount: 100_000_000n, hasLeft: [false] })
        const { cursor } = yield* rail.scan(null, TestRail.watching())
        yield* chain.mine()
        const after = yield* Held.holdings(rail, { sent: [[payment], []] })
        assert.deepInclude(after, { amount: 60_000_000n, hasLeft: [true, false] })
        // Holdings are unknown while unread blocks might contain arrivals.
        yield* chain.mine(20)
        assert.isTrue(Option.isNone(yield* rail.holdings(Held.question({ cursor }))))
      }).pipe(Effect.scoped)
  )

  it.live("sums the confirmed balances of the hot account and all addresses, each once", () =>
    Effect.gen(function* () {
      const chain = yield* TestChain.make
      const rail = yield* TestRail.make(chain)
      const others = Array.from({ length: 600 }, (_, index) => `0x${(index + 0x1000).toString(16).padStart(40, "0")}`)
      yield* chain.mint(first, 5n)
      yield* chain.mint(TestRail.hot, 7n)
      yield* chain.mint(others[599]!, 11n)
      yield* chain.mint(third, 1_000n)
      yield* chain.mine(20)
      yield* chain.mint(first, 100n)
      yield* chain.mine()
      assert.strictEqual(yield* Held.amount(rail, [first, second, ...others, first, TestRail.hot]), 23n)
      yield* chain.mine(19)
      assert.strictEqual(yield* Held.amount(rail, [first]), 112n)
    }).pipe(Effect.scoped)
  )
})

const rawOf = (chain: TestChain.TestChain, hash: string) =>
  Effect.map(chain.rpc("eth_getRawTransactionByHash", hash), String)
