import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import { proxied } from "./ProxiedEndpoint.ts"
import * as TestChain from "./TestChain.ts"
import * as TestRail from "./TestRail.ts"

const first = TestRail.addressAt(0)
const watched = TestRail.watching(first)

const causeOf = <A, E extends { readonly cause: unknown }>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), ({ cause }) => String(cause))

/** Creates one deposit on a chain with two endpoints. The second one is a proxy whose responses a test can change. */
const twoEndpoints = Effect.gen(function* () {
  const chain = yield* TestChain.make
  const second = yield* proxied(chain.url)
  const rail = yield* TestRail.make(chain, { urls: [chain.url, second.url] })
  yield* chain.mine(5)
  const { cursor } = yield* rail.scan(null, watched)
  yield* chain.mint(first, 8_000_000n)
  yield* chain.mine(3)
  return { chain, cursor, rail, second }
})

describe("several endpoints", () => {
  it.live("reports a deposit on which two endpoints agree", () =>
    Effect.gen(function* () {
      const { cursor, rail } = yield* twoEndpoints
      const { arrivals } = yield* rail.scan(cursor, watched)
      assert.strictEqual(arrivals.length, 1)
      const [state] = yield* rail.arrivalStates(arrivals)
      assert.deepStrictEqual(state, { _tag: "Present", confirmations: 3, isFinal: false })
    }).pipe(Effect.scoped)
  )

  const ofDeposits = ["eth_getLogs", "eth_getTransactionReceipt"]
  const lies: Readonly<Record<string, readonly [ReadonlyArray<string>, string, string]>> = {
    "the hash of a block": [["eth_getBlockByNumber"], "hash", `0x${"ab".repeat(32)}`],
    "an amount": [ofDeposits, "data", `0x${"0".repeat(63)}9`],
    "the block of a deposit": [ofDeposits, "blockHash", `0x${"ab".repeat(32)}`]
  }
  for (const [what, [methods, field, value]] of Object.entries(lies))
    it.live(`fails the scan while two endpoints disagree about ${what}`, () =>
      Effect.gen(function* () {
        const { cursor, rail, second } = yield* twoEndpoints
        second.answer((asked, result) => (methods.includes(asked) ? changed(result, field, value) : result))
        const cause = yield* causeOf(rail.scan(cursor, watched))
        assert.match(cause, /endpoint 1 and endpoint 2: the endpoints disagree/)
        second.answer((_, result) => result)
        assert.strictEqual((yield* rail.scan(cursor, watched)).arrivals.length, 1)
      }).pipe(Effect.scoped)
    )

  for (const [what, field, value] of [
    ["whose logs differ from its receipts", "data", `0x${"0".repeat(63)}9`],
    ["that returns logs of another token", "address", `0x${"12".repeat(20)}`]
  ] as const)
    it.live(`ignores an endpoint ${what}`, () =>
      Effect.gen(function* () {
        const { chain, cursor, rail, second } = yield* twoEndpoints
        second.answer((asked, result) => (asked === "eth_getLogs" ? changed(result, field, value) : result))
        assert.deepStrictEqual(
          (yield* rail.scan(cursor, watched)).arrivals.map(({ amount }) => amount),
          [8_000_000n]
        )
        const alone = yield* TestRail.make(chain, { urls: [second.url] })
        assert.match(
          yield* causeOf(alone.scan(cursor, watched)),
          /endpoint 1: (the logs that the endpoint returned differ|the endpoint returned logs)/
        )
      }).pipe(Effect.scoped)
    )

  it.live("never reports a deposit as gone while one of two endpoints has it", () =>
    Effect.gen(function* () {
      const { chain, cursor, rail, second } = yield* twoEndpoints
      const { arrivals } = yield* rail.scan(cursor, watched)
      second.answer((method, result) => (method === "eth_getTransactionReceipt" ? null : result))
      // An inconsistent response is ignored, so the other endpoint's response decides.
      assert.strictEqual((yield* rail.arrivalStates(arrivals))[0]!._tag, "Present")
      const alone = yield* TestRail.make(chain, { urls: [second.url] })
      assert.match(
        yield* causeOf(alone.arrivalStates(arrivals)),
        /has the block of transaction 0x\w+, but not the transaction/
      )
      second.answer((method, result) =>
        method === "eth_getTransactionReceipt" ? null : changed(result, "hash", `0x${"ab".repeat(32)}`)
      )
      assert.match(yield* causeOf(rail.arrivalStates(arrivals)), /disagree/)
    }).pipe(Effect.scoped)
  )

  it.live("waits for a lagging endpoint and loses no deposit", () =>
    Effect.gen(function* () {
      const { chain, cursor, rail, second } = yield* twoEndpoints
      const head = Number(yield* chain.rpc("eth_blockNumber"))
      const behind = yield* chain.rpc("eth_getBlockByNumber", `0x${(head - 3).toString(16)}`, false)
      second.answer((method, result, params) =>
        method === "eth_getBlockByNumber" && params[0] === "latest" ? behind : result
      )
      const slow = yield* rail.scan(cursor, watched)
      assert.deepStrictEqual(slow.arrivals, [])
      second.answer((_, result) => result)
      assert.strictEqual((yield* rail.scan(slow.cursor, watched)).arrivals.length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("finds a deposit in a later scan if an endpoint's logs lag behind its head, as behind a load balancer", () =>
    Effect.gen(function* () {
      const { chain, cursor, rail, second } = yield* twoEndpoints
      const [arrival] = (yield* rail.scan(cursor, watched)).arrivals
      const lagging = yield* TestRail.make(chain, { urls: [second.url] })
      second.answer((method, result) =>
        method === "eth_getLogs"
          ? (result as ReadonlyArray<{ blockNumber: string }>).filter(
              ({ blockNumber }) => Number(blockNumber) < arrival!.block!.number
            )
          : result
      )
      const missed = yield* lagging.scan(cursor, watched)
      assert.deepStrictEqual(missed.arrivals, [])
      second.answer((_, result) => result)
      yield* chain.mine(2)
      assert.deepStrictEqual((yield* lagging.scan(missed.cursor, watched)).arrivals, [arrival!])
    }).pipe(Effect.scoped)
  )

  it.live("ignores an endpoint whose newest block is older than the configured limit", () =>
    Effect.gen(function* () {
      const { chain, cursor, second } = yield* twoEndpoints
      const old = yield* chain.rpc("eth_getBlockByNumber", "0x1", false)
      second.answer((method, result, params) =>
        method === "eth_getBlockByNumber" && params[0] === "latest" ? changed(old, "timestamp", "0x65000000") : result
      )
      const rail = yield* TestRail.make(chain, { urls: [chain.url, second.url], staleMillis: 120_000 })
      assert.strictEqual((yield* rail.scan(cursor, watched)).arrivals.length, 1)
      const alone = yield* TestRail.make(chain, { urls: [second.url], staleMillis: 120_000 })
      assert.match(yield* causeOf(alone.scan(cursor, watched)), /endpoint 1: the endpoint's newest block is \d+ s old/)
    }).pipe(Effect.scoped)
  )

  it.live("scans while enough endpoints respond, fails otherwise, and loses no deposit afterwards", () =>
    Effect.gen(function* () {
      const { chain, cursor, second } = yield* twoEndpoints
      const third = yield* proxied(chain.url)
      const rail = yield* TestRail.make(chain, { urls: [second.url, third.url] })
      third.fail(503)
      assert.strictEqual((yield* rail.scan(cursor, watched)).arrivals.length, 1)
      second.fail(500)
      assert.match(yield* causeOf(rail.scan(cursor, watched)), /endpoint \d: the server returned status 50/)
      const two = yield* TestRail.make(chain, { urls: [chain.url, third.url], leastEndpoints: 2 })
      assert.match(yield* causeOf(two.scan(cursor, watched)), /endpoint 2: the server returned status 503/)
      second.fail(undefined)
      assert.strictEqual((yield* rail.scan(cursor, watched)).arrivals.length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("gives up on a silent endpoint after ten seconds", () =>
    Effect.gen(function* () {
      const { chain, second } = yield* twoEndpoints
      const rail = yield* TestRail.make(chain, { urls: [second.url] })
      second.hang()
      const scanned = yield* Effect.forkChild(causeOf(rail.scan(null, watched)))
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(scanned.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.match(yield* Fiber.join(scanned), /endpoint 1: /)
    }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
  )

  for (const text of ["", "<html>", "[]", "{}", '{"jsonrpc":"2.0","id":0,"result":"0x"}', "null"])
    it.live(`rejects a response that is ${text === "" ? "empty" : text}`, () =>
      Effect.gen(function* () {
        const { chain, cursor, second } = yield* twoEndpoints
        second.say(text)
        const rail = yield* TestRail.make(chain, { urls: [second.url] })
        assert.match(yield* causeOf(rail.scan(cursor, watched)), /endpoint 1: the response/)
      }).pipe(Effect.scoped)
    )

  it.live("accepts hexadecimal digits in upper case", () =>
    Effect.gen(function* () {
      const { cursor, rail, second } = yield* twoEndpoints
      second.answer((_, result) =>
        JSON.parse(
          JSON.stringify(result ?? null).replaceAll(/"0x[0-9a-f]*"/g, (hex) => `"0x${hex.slice(3).toUpperCase()}`)
        )
      )
      const { arrivals } = yield* rail.scan(cursor, watched)
      assert.strictEqual(arrivals.length, 1)
      assert.strictEqual((yield* rail.arrivalStates(arrivals))[0]!._tag, "Present")
    }).pipe(Effect.scoped)
  )

  it.live(
    "raises an alarm if the final block has not advanced for an hour although the head has, until it advances",
    () =>
      Effect.gen(function* () {
        const { chain, cursor, second } = yield* twoEndpoints
        const rail = yield* TestRail.make(chain, { urls: [second.url] })
        const frozen = yield* chain.rpc("eth_getBlockByNumber", "0x2", false)
        second.answer((method, result, [tag]) =>
          method === "eth_getBlockByNumber" && tag === "finalized" ? frozen : result
        )
        yield* rail.scan(cursor, watched)
        yield* TestClock.adjust("59 minutes")
        yield* chain.mine(3)
        yield* rail.scan(cursor, watched)
        assert.isUndefined(yield* rail.stalled!)
        yield* TestClock.adjust("1 minute")
        assert.deepInclude(yield* rail.stalled!, { _tag: "FinalityStalled", finalBlock: 2, minutes: 60 })
        second.answer((_, result) => result)
        yield* chain.mine(70)
        yield* rail.scan(cursor, watched)
        assert.isUndefined(yield* rail.stalled!)
      }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
  )

  it.live("never requests deposits from an endpoint of another chain", () =>
    Effect.gen(function* () {
      const { chain, cursor, second } = yield* twoEndpoints
      second.answer((method, result) => (method === "eth_chainId" ? "0x1" : result))
      const rail = yield* TestRail.make(chain, { urls: [second.url] })
      assert.match(yield* causeOf(rail.scan(cursor, watched)), /the endpoint belongs to chain 1, expected 42161/)
    }).pipe(Effect.scoped)
  )

  it.live("requests smaller block ranges from an endpoint that refuses larger ones", () =>
    Effect.gen(function* () {
      const { chain, cursor, second } = yield* twoEndpoints
      const asked: Array<number> = []
      second.refuse((method, params) => {
        if (method !== "eth_getLogs") return undefined
        const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string }
        const blocks = Number(toBlock) - Number(fromBlock) + 1
        asked.push(blocks)
        return blocks > 1 ? "query returned more than 10000 results" : undefined
      })
      const rail = yield* TestRail.make(chain, { urls: [second.url] })
      assert.strictEqual((yield* rail.scan(cursor, watched)).arrivals.length, 1)
      assert.deepStrictEqual(asked, [4, 2, 1, 1, 1, 1])
    }).pipe(Effect.scoped)
  )

  for (const [what, size] of [
    ["all receipts together exceed the batch limit", 7_000_000],
    ["each receipt alone exceeds the batch limit", 17_500_000]
  ] as const)
    it.live(`reads receipts in smaller parts if ${what}`, () =>
      Effect.gen(function* () {
        const { chain, cursor, second } = yield* twoEndpoints
        for (const amount of [9_000_000n, 10_000_000n]) yield* chain.mint(first, amount)
        yield* chain.mine()
        const padding = "x".repeat(size)
        second.answer((method, result) =>
          method === "eth_getTransactionReceipt" ? { ...(result as object), padding } : result
        )
        const rail = yield* TestRail.make(chain, { urls: [second.url] })
        const { arrivals } = yield* rail.scan(cursor, watched)
        assert.deepStrictEqual(
          arrivals.map(({ amount }) => amount),
          [8_000_000n, 9_000_000n, 10_000_000n]
        )
        assert.deepStrictEqual(
          (yield* rail.arrivalStates(arrivals)).map(({ _tag }) => _tag),
          ["Present", "Present", "Present"]
        )
      }).pipe(Effect.scoped)
    )

  it.live("sends smaller batches to a node that limits the size of its responses", () =>
    Effect.gen(function* () {
      const { chain, cursor, second } = yield* twoEndpoints
      for (const amount of [9_000_000n, 10_000_000n]) yield* chain.mint(first, amount)
      yield* chain.mine()
      second.refuse((method, _, atOnce) =>
        method === "eth_getTransactionReceipt" && atOnce > 1 ? "response too large" : undefined
      )
      const rail = yield* TestRail.make(chain, { urls: [second.url] })
      assert.strictEqual((yield* rail.scan(cursor, watched)).arrivals.length, 3)
    }).pipe(Effect.scoped)
  )

  it.live("requests logs of fewer blocks after a response that is too large", () =>
    Effect.gen(function* () {
      const { chain, cursor, second } = yield* twoEndpoints
      const large = { padding: "x".repeat(70 * 1_048_576) }
      second.answer((method, result, params) => {
        if (method !== "eth_getLogs") return result
        const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string }
        return fromBlock === toBlock ? result : [large]
      })
      const rail = yield* TestRail.make(chain, { urls: [second.url] })
      assert.strictEqual((yield* rail.scan(cursor, watched)).arrivals.length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("I46: omits a key in an endpoint's URL from errors and logs, even if the endpoint repeats the key", () =>
    Effect.gen(function* () {
      const chain = yield* TestChain.make
      const key = "canary-7f3a9c21d4"
      const logged: Array<unknown> = []
      const logger = Logger.make(({ cause, message }) => void logged.push(message, cause))
      const endpoint = yield* proxied(chain.url)
      endpoint.refuse(() => `project ${key} is over its limit`)
      const [user, host] = [`${key}-user`, endpoint.url.replace("http://", "")]
      for (const url of [
        `${endpoint.url}/v2/${key}`,
        `${endpoint.url}/?key=${key}`,
        `http://${user}:${key}@${host}`,
        `http://127.0.0.1:9/${key}`,
        `http://${key}.invalid/`
      ]) {
        const rail = yield* TestRail.make(chain, { urls: [url] })
        const failed = yield* Effect.flip(rail.scan(null, watched)).pipe(Effect.provide(Logger.layer([logger])))
        const shown = inspect([failed, failed.cause, String(failed), JSON.stringify(failed), logged], { depth: 20 })
        assert.notInclude(shown, key)
        assert.match(String(failed.cause), /endpoint 1: /)
      }
      assert.notStrictEqual(logged.length, 0)
      assert.notInclude(inspect(Redacted.make(key)), key)
    }).pipe(Effect.scoped)
  )
})

/** Replaces the value of `field` at any depth. */
const changed = (json: unknown, field: string, value: string): unknown => {
  if (Array.isArray(json)) return json.map((one) => changed(one, field, value))
  if (typeof json !== "object" || json === null) return json
  return Object.fromEntries(
    Object.entries(json).map(([name, each]) => [name, name === field ? value : changed(each, field, value)])
  )
}
