/** Tests of deposits on TRON, which are read over a node's HTTP interface. */
import type { Arrival } from "@venue/providers/rails/RailProvider"
import * as TronAddress from "@venue/providers/rails/tron/TronAddress"
import { unavailable } from "@venue/providers/rails/tron/TronNode"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Held from "../Held.ts"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import { hot, scene, somebody, type TronFailure, type TronScene, urlKey, withNodes } from "./TronServer.ts"
import { genesisId, logOf, solidDepth } from "./TronChain.ts"

const mine = TronAddress.ofHex(`41${"0a".repeat(20)}`)
const other = TronAddress.ofHex(`41${"0b".repeat(20)}`)
const watched = Effect.succeed([mine, other])
const usd = (amount: number) => BigInt(amount) * 1_000_000n

const deposits = (name: string, test: (given: TronScene) => Effect.Effect<unknown, unknown>, nodes = 1) =>
  it.effect(name, () => withNodes(Effect.flatMap(scene(nodes), test)))

const names = (arrivals: ReadonlyArray<Arrival>) => arrivals.map(({ logIndex, txHash }) => `${txHash} ${logIndex}`)

deposits("starts a scan at the newest block, and returns each later deposit to a watched address once", (tron) =>
  Effect.gen(function* () {
    const { chain, deposit, provider } = tron
    yield* deposit(mine, usd(1))
    yield* tron.mine()
    const { arrivals: before, cursor } = yield* provider.scan(null, watched)
    assert.deepStrictEqual(before, [])
    const txHash = yield* deposit(mine, 12_345_678n)
    yield* deposit(TronAddress.ofHex(somebody), usd(9))
    yield* tron.mine()
    const block = { number: chain.head.number, hash: chain.head.id }
    const next = yield* provider.scan(cursor, watched)
    assert.deepStrictEqual(next.arrivals, [
      { txHash, logIndex: 0, to: mine, amount: 12_345_678n, block, paymentRail: null }
    ])
    assert.deepStrictEqual(next.returned, [])
    const again = yield* provider.scan(next.cursor, watched)
    assert.deepStrictEqual(again.arrivals, [])
    assert.strictEqual(again.cursor, next.cursor)
  })
)

deposits("I16: gives each transfer of one transaction its own log index", (tron) =>
  Effect.gen(function* () {
    const { chain, provider } = tron
    const { cursor } = yield* provider.scan(null, watched)
    const [a, b] = [TronAddress.hexOf(mine)!, TronAddress.hexOf(other)!]
    const txHash = chain.outside([
      logOf(somebody, a, usd(5)),
      // Not deposits: another contract, another event, an amount of 0, another receiver, and malformed logs.
      logOf(somebody, a, usd(1_000_000), `41${"cc".repeat(20)}`),
      { ...logOf(somebody, a, usd(1)), topics: ["ab".repeat(32), ...logOf(somebody, a, usd(1)).topics.slice(1)] },
      logOf(somebody, a, 0n),
      logOf(somebody, somebody, usd(2)),
      { address: "00", topics: [], data: "" },
      { ...logOf(somebody, a, usd(1)), data: "01" },
      logOf(somebody, a, usd(5)),
      logOf(somebody, b, usd(6))
    ])
    chain.outside([logOf(somebody, a, usd(7))], "REVERT")
    yield* tron.mine()
    const { arrivals } = yield* provider.scan(cursor, watched)
    assert.deepStrictEqual(names(arrivals), [`${txHash} 0`, `${txHash} 7`, `${txHash} 8`])
    assert.deepStrictEqual(
      arrivals.map(({ amount, to }) => [amount, to]),
      [
        [usd(5), mine],
        [usd(5), mine],
        [usd(6), other]
      ]
    )
  })
)

deposits("reports third-party transfers to the paying account as arrivals, but not the venue's sweeps", (tron) =>
  Effect.gen(function* () {
    const { chain, deposit, provider } = tron
    const { cursor } = yield* provider.scan(null, watched)
    const gift = yield* deposit(TronAddress.ofHex(hot), usd(3))
    const mixed = chain.outside([
      logOf(TronAddress.hexOf(mine)!, hot, usd(40)),
      logOf(hot, TronAddress.hexOf(mine)!, usd(1)),
      logOf(hot, hot, usd(2))
    ])
    yield* tron.mine()
    const found = yield* provider.scan(cursor, watched)
    assert.deepStrictEqual(names(found.arrivals), [`${gift} 0`, `${mixed} 1`, `${mixed} 2`])
    assert.deepStrictEqual(
      found.arrivals.map(({ to }) => to),
      [TronAddress.ofHex(hot), mine, TronAddress.ofHex(hot)]
    )
    assert.deepInclude((yield* provider.arrivalStates(found.arrivals))[0], { _tag: "Present", confirmations: 1 })

    // While the wallet is unavailable, the paying account is known from an earlier scan.
    const late = yield* deposit(TronAddress.ofHex(hot), usd(4))
    yield* tron.mine()
    const without = tron.paidBy(Effect.fail(unavailable("the wallet is away")))
    assert.deepStrictEqual(names((yield* without.scan(found.cursor, watched)).arrivals), [`${late} 0`])
    // Deposits to users are found even if the scan never knew the paying account.
    const never = yield* without.scan(null, watched)
    yield* deposit(TronAddress.ofHex(hot), usd(5))
    const known = yield* deposit(mine, usd(6))
    yield* tron.mine()
    assert.deepStrictEqual(names((yield* without.scan(never.cursor, watched)).arrivals), [`${known} 0`])
  })
)

deposits("reads the watched addresses after the newest block, so that a deposit to a new address is found", (tron) =>
  Effect.gen(function* () {
    const { deposit, provider } = tron
    const { cursor } = yield* provider.scan(null, Effect.succeed([]))
    yield* deposit(mine, usd(5))
    yield* tron.mine()
    const asked: Array<string> = []
    const late = Effect.sync(() => {
      asked.push(...tron.servers[0]!.asked.slice(-1))
      return [mine]
    })
    assert.strictEqual((yield* provider.scan(cursor, late)).arrivals.length, 1)
    assert.deepStrictEqual(asked, ["/wallet/getnowblock"])
  })
)

deposits("counts an arrival's confirmations, and reports it as final when its block is final", (tron) =>
  Effect.gen(function* () {
    const { deposit, provider } = tron
    const { cursor } = yield* provider.scan(null, watched)
    yield* deposit(mine, usd(5))
    yield* tron.mine()
    const { arrivals } = yield* provider.scan(cursor, watched)
    for (const confirmations of [1, 2, 3]) {
      assert.deepStrictEqual(yield* provider.arrivalStates(arrivals), [
        { _tag: "Present", confirmations, isFinal: false }
      ])
      yield* tron.mine()
    }
    yield* tron.mine(solidDepth - 3)
    assert.deepStrictEqual(yield* provider.arrivalStates(arrivals), [
      { _tag: "Present", confirmations: solidDepth + 1, isFinal: true }
    ])
  })
)

deposits("reports an arrival's state even if its transaction has a large result", (tron) =>
  Effect.gen(function* () {
    const { deposit, provider, servers } = tron
    const { cursor } = yield* provider.scan(null, watched)
    servers[0]!.contractResult = "00".repeat(1_048_576)
    yield* deposit(mine, usd(5))
    yield* tron.mine()
    const { arrivals } = yield* provider.scan(cursor, watched)
    assert.deepInclude((yield* provider.arrivalStates(arrivals))[0], { _tag: "Present", confirmations: 1 })
  })
)

for (const depth of [1, 3, 18]) {
  deposits(
    `removes an arrival after a reorganisation of ${depth} blocks, and keeps its id if it is included again`,
    (tron) =>
      Effect.gen(function* () {
        const { chain, deposit, provider } = tron
        const { cursor } = yield* provider.scan(null, watched)
        yield* deposit(mine, usd(5))
        yield* tron.mine(depth)
        const first = yield* provider.scan(cursor, watched)
        chain.reorganise(depth, false)
        assert.deepStrictEqual(yield* provider.arrivalStates(first.arrivals), [{ _tag: "Gone" }])
        const second = yield* provider.scan(first.cursor, watched)
        assert.deepStrictEqual(second.arrivals, [])

        yield* deposit(mine, usd(6))
        yield* tron.mine(depth)
        const third = yield* provider.scan(second.cursor, watched)
        chain.reorganise(depth, true)
        const fourth = yield* provider.scan(third.cursor, watched)
        assert.deepStrictEqual(names(fourth.arrivals), names(third.arrivals))
        assert.notStrictEqual(fourth.arrivals[0]!.block!.hash, third.arrivals[0]!.block!.hash)
        assert.deepInclude((yield* provider.arrivalStates(third.arrivals))[0], { _tag: "Present" })
      })
  )
}

deposits("fails the scan if a final block has been replaced", (tron) =>
  Effect.gen(function* () {
    const { chain, provider } = tron
    const { cursor } = yield* provider.scan(null, watched)
    chain.reorganise(30, true)
    const error = yield* Effect.flip(provider.scan(cursor, watched))
    assert.match(String(error.cause), /was final but has been replaced/)
  })
)

deposits("I48: reads at most 100 blocks per scan, without a gap", (tron) =>
  Effect.gen(function* () {
    const { deposit, provider } = tron
    let { cursor } = yield* provider.scan(null, watched)
    const all: Array<string> = []
    for (let n = 0; n < 25; n++) {
      all.push(`${yield* deposit(mine, usd(n + 1))} 0`)
      yield* tron.mine(10)
    }
    const found: Array<string> = []
    for (const count of [10, 10, 5]) {
      tron.servers[0]!.asked.length = 0
      const { arrivals, cursor: next } = yield* provider.scan(cursor, watched)
      assert.strictEqual(arrivals.length, count)
      assert.isBelow(tron.servers[0]!.asked.length, 210)
      found.push(...names(arrivals))
      cursor = next
    }
    assert.deepStrictEqual(found, all)
  })
)

deposits("fails the scan if a node returns only part of a block's transactions", (tron) =>
  Effect.gen(function* () {
    const { deposit, provider, servers } = tron
    const { cursor } = yield* provider.scan(null, watched)
    yield* deposit(mine, usd(5))
    yield* tron.mine()
    const [server] = servers
    const whole = server!.answer.bind(server)
    server!.answer = (path, body) => (path === "/wallet/gettransactioninfobyblocknum" ? [] : whole(path, body))
    assert.match(String((yield* Effect.flip(provider.scan(cursor, watched))).cause), /has only part of block/)
    server!.answer = whole
    assert.strictEqual((yield* provider.scan(cursor, watched)).arrivals.length, 1)
  })
)

deposits(
  "reads another node if one node fails or stops advancing",
  (tron) =>
    Effect.gen(function* () {
      const { deposit, provider, servers } = tron
      const { cursor } = yield* provider.scan(null, watched)
      yield* deposit(mine, usd(5))
      yield* tron.mine(60)
      servers[0]!.failure = "unavailable"
      assert.strictEqual((yield* provider.scan(cursor, watched)).arrivals.length, 1)
      servers[0]!.failure = "none"
      servers[0]!.behind = 60
      assert.strictEqual((yield* provider.scan(cursor, watched)).arrivals.length, 1)
      // A node that lags a little returns no arrivals and leaves the cursor unchanged.
      servers[0]!.behind = 20
      const { cursor: tip } = yield* Effect.sync(() => (servers[0]!.behind = 0)).pipe(
        Effect.andThen(provider.scan(cursor, watched))
      )
      servers[0]!.behind = 5
      assert.deepStrictEqual(yield* provider.scan(tip, watched), { arrivals: [], returned: [], cursor: tip })
    }),
  2
)

deposits(
  "reports an arrival as present once all responding nodes agree",
  (tron) =>
    Effect.gen(function* () {
      const { deposit, provider, servers } = tron
      const { cursor } = yield* provider.scan(null, watched)
      yield* deposit(mine, usd(5))
      yield* tron.mine(3)
      const { arrivals } = yield* provider.scan(cursor, watched)
      servers[1]!.behind = 5
      assert.match(String((yield* Effect.flip(provider.arrivalStates(arrivals))).cause), /disagree/)
      servers[1]!.behind = 1
      assert.deepStrictEqual(yield* provider.arrivalStates(arrivals), [
        { _tag: "Present", confirmations: 2, isFinal: false }
      ])
      servers[1]!.failure = "malformed"
      assert.deepStrictEqual(yield* provider.arrivalStates(arrivals), [
        { _tag: "Present", confirmations: 3, isFinal: false }
      ])
    }),
  2
)

deposits(
  "reports an arrival as gone if its amount, index, address or transaction differs from those on the chain",
  (tron) =>
    Effect.gen(function* () {
      const { deposit, provider } = tron
      const { cursor } = yield* provider.scan(null, watched)
      yield* deposit(mine, usd(5))
      yield* tron.mine(3)
      const [arrival] = (yield* provider.scan(cursor, watched)).arrivals
      const others = [
        { ...arrival!, amount: usd(6) },
        { ...arrival!, logIndex: 1 },
        { ...arrival!, to: other },
        { ...arrival!, txHash: "00".repeat(32) }
      ]
      const gone = others.map(() => ({ _tag: "Gone" as const }))
      assert.deepStrictEqual(yield* provider.arrivalStates(others), gone)
    })
)

const failures: ReadonlyArray<readonly [failure: TronFailure, cause: RegExp]> = [
  ["unavailable", /status 503/],
  ["malformed", /unexpected form/],
  ["oversized", /larger than/]
]
for (const [failure, cause] of failures) {
  deposits(`I46: omits a node's URL and headers, which might contain a key, from the alarm (${failure})`, (tron) =>
    Effect.gen(function* () {
      const { provider, servers } = tron
      const { cursor } = yield* provider.scan(null, watched)
      servers[0]!.failure = failure
      const errors = [
        yield* Effect.flip(provider.scan(cursor, watched)),
        yield* Effect.flip(provider.holdings(Held.question({ cursor }))),
        yield* Effect.flip(
          provider.arrivalStates([
            { txHash: "00".repeat(32), logIndex: 0, to: mine, amount: 1n, block: null, paymentRail: null }
          ])
        )
      ]
      for (const error of errors) {
        assert.deepInclude(error, { _tag: "RailUnavailable", rail: "TRON" })
        assert.match(String(error.cause), cause)
        const seen = `${inspect(error, { depth: null })} ${JSON.stringify(error)}`
        assert.notInclude(seen, urlKey)
        assert.notInclude(seen, "canary-of-a-header")
      }
    })
  )
}

deposits("gives up on a silent node after ten seconds", (tron) =>
  Effect.gen(function* () {
    const { provider, servers } = tron
    yield* provider.scan(null, watched)
    servers[0]!.failure = "silent"
    const asked = yield* Effect.forkChild(Effect.flip(provider.scan(null, watched)))
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual((yield* Fiber.join(asked))._tag, "RailUnavailable")
  })
)

deposits("requests only the genesis block from a node of another chain", (tron) =>
  Effect.gen(function* () {
    const { chain, provider, servers } = tron
    chain.blocks[0] = { ...chain.blocks[0]!, id: genesisId.replace("1ebf", "de1a") }
    assert.match(String((yield* Effect.flip(provider.scan(null, watched))).cause), /not on the configured chain/)
    assert.match(String((yield* Effect.flip(provider.holdings(Held.question()))).cause), /not on the configured chain/)
    assert.deepStrictEqual([...new Set(servers[0]!.asked)], ["/wallet/getblock"])
  })
)

deposits("rejects an invalid cursor", ({ provider }) =>
  Effect.gen(function* () {
    for (const cursor of ["", "7", "0:0", `${"0".repeat(64)}:`]) {
      assert.match(String((yield* Effect.flip(provider.scan(cursor, watched))).cause), /cursor is invalid/)
    }
  })
)

deposits("derives the same address for an index every time, and a different address for each index", ({ provider }) =>
  Effect.sync(() => {
    const { addressAt } = provider
    assert.strictEqual(addressAt!(7), addressAt!(7))
    assert.notStrictEqual(addressAt!(7), addressAt!(8))
  })
)
