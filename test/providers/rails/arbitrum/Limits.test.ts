import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { limited, type Limits, type Refusal } from "./LimitedEndpoint.ts"
import * as TestChain from "./TestChain.ts"
import * as TestRail from "./TestRail.ts"

const addresses = Array.from({ length: 120 }, (_, index) => TestRail.addressAt(index))
const watched = TestRail.watching(...addresses)

/** Makes deposits to the first, a middle and the last address, in distant blocks, behind an endpoint with limits. */
const deposited = Effect.gen(function* () {
  const chain = yield* TestChain.make
  const endpoint = yield* limited(chain.url)
  const rail = yield* TestRail.make(chain, { urls: [endpoint.url] })
  yield* chain.mine(2)
  const { cursor } = yield* rail.scan(null, watched)
  for (const [index, amount] of [
    [0, 5_000_000n],
    [60, 6_000_000n],
    [119, 7_000_000n]
  ] as const) {
    yield* chain.mine(60)
    yield* chain.mint(addresses[index]!, amount)
    yield* chain.mine()
  }
  yield* chain.mine(30)
  return { chain, cursor, endpoint, rail }
})

const refusals: Readonly<Record<string, Refusal>> = {
  "HTTP 400 and an error": { status: 400, code: -32_600, message: "block range is too large" },
  "HTTP 413 and an error": { status: 413, code: -32_614, message: "eth_getLogs is limited to a smaller range" },
  "HTTP 200 and an error": { status: 200, code: -32_005, message: "query returned more than 10000 results" },
  "HTTP 500 and an error": { status: 500, code: -32_000, message: "too many blocks" },
  "HTTP 413 and no JSON": { status: 413, code: null, message: "Payload Too Large" }
}

const logged = (lines: Array<string>) => Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
const causeOf = <A, E extends { readonly cause: unknown }>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), ({ cause }) => String(cause))

describe("an endpoint with a smaller limit than configured", () => {
  for (const [how, refusal] of Object.entries(refusals))
    for (const most of [1, 3, 10, 100])
      it.live(
        `finds every deposit at a limit of ${most} blocks per request, which the endpoint enforces with ${how}`,
        () =>
          Effect.gen(function* () {
            const { cursor, endpoint, rail } = yield* deposited
            endpoint.limit({ blocks: most }, refusal)
            const { arrivals } = yield* rail.scan(cursor, watched)
            assert.deepStrictEqual(
              arrivals.map(({ amount }) => amount),
              [5_000_000n, 6_000_000n, 7_000_000n]
            )
          }).pipe(Effect.scoped)
      )

  const bounds: Readonly<Record<string, ReadonlyArray<Limits>>> = {
    addresses: [1, 3, 10, 100].map((most) => ({ addresses: most })),
    "calls per request (0 refuses arrays)": [0, 1, 3, 10].map((most) => ({ calls: most })),
    "blocks and addresses": [{ blocks: 10, addresses: 10 }]
  }
  for (const [what, each] of Object.entries(bounds))
    for (const limits of each)
      it.live(`finds every deposit at a limit on ${what}: ${JSON.stringify(limits)}`, () =>
        Effect.gen(function* () {
          const { chain, cursor, endpoint } = yield* deposited
          endpoint.limit(limits, refusals["HTTP 400 and an error"]!)
          const rail = yield* TestRail.make(chain, { urls: [endpoint.url] })
          const { arrivals } = yield* rail.scan(cursor, watched)
          assert.strictEqual(arrivals.length, 3)
          const states = yield* rail.arrivalStates(arrivals)
          assert.deepStrictEqual(
            states.map(({ _tag }) => _tag),
            ["Present", "Present", "Present"]
          )
        }).pipe(Effect.scoped)
      )

  for (const balances of [1, 3, 10, 100])
    it.live(`sums all holdings at a limit of ${balances} balances per request`, () =>
      Effect.gen(function* () {
        const { cursor, endpoint, rail } = yield* deposited
        const { cursor: read } = yield* rail.scan(cursor, watched)
        endpoint.limit({ balances }, { status: 400, code: -32_000, message: "out of gas" })
        const holdings = yield* rail.holdings({ addresses, cursor: read, sent: [] })
        assert.strictEqual(holdings._tag === "Some" ? holdings.value.amount : undefined, 18_000_000n)
        assert.isAtMost(endpoint.asked.balances.at(-1)!, balances)
      }).pipe(Effect.scoped)
    )

  it.live("remembers the accepted size, and logs the setting and the endpoint's message", () =>
    Effect.gen(function* () {
      const { chain, cursor, endpoint, rail } = yield* deposited
      endpoint.limit({ blocks: 10 }, refusals["HTTP 400 and an error"]!)
      const lines: Array<string> = []
      endpoint.asked.blocks.length = 0
      const { cursor: next } = yield* Effect.provide(rail.scan(cursor, watched), logged(lines))
      let size = endpoint.asked.blocks[0]!
      while (size > 10) size = Math.floor(size / 2)
      assert.lengthOf(lines, 1)
      assert.include(
        lines[0],
        `block range is too large (-32600). The venue sends at most ${size} blocks per request for 10 minutes; set VENUE_ARBITRUM_BLOCKS_AT_ONCE to ${size} or less`
      )
      const before = endpoint.refusals()
      yield* chain.mine(40)
      yield* rail.scan(next, watched)
      assert.strictEqual(endpoint.refusals(), before)
    }).pipe(Effect.scoped)
  )

  it.live("quotes the endpoint's message in the error if the endpoint refuses a request for a single block", () =>
    Effect.gen(function* () {
      const { cursor, endpoint, rail } = yield* deposited
      endpoint.limit({ blocks: 0 }, { status: 400, code: -32_600, message: "archive access needs a plan" })
      const cause = yield* causeOf(rail.scan(cursor, watched))
      assert.match(
        cause,
        /the endpoint rejected the request: archive access needs a plan \(-32600\), even with VENUE_ARBITRUM_BLOCKS_AT_ONCE at 1/
      )
      assert.isBelow(endpoint.refusals(), 20)
    }).pipe(Effect.scoped)
  )
})

describe("an endpoint with an ambiguous size limit", () => {
  for (const limits of [{ blocks: 60 }, { addresses: 100 }] as const)
    it.live(`finds every deposit behind an endpoint with an ambiguous limit: ${JSON.stringify(limits)}`, () =>
      Effect.gen(function* () {
        const { cursor, endpoint, rail } = yield* deposited
        endpoint.limit(limits, { status: 200, code: -32_005, message: "limit exceeded" })
        assert.lengthOf((yield* rail.scan(cursor, watched)).arrivals, 3)
      }).pipe(Effect.scoped)
    )
})

const rates: Readonly<Record<string, Refusal>> = {
  "HTTP 429": { status: 429, code: null, message: "Too Many Requests" },
  "429 in a body with HTTP 200": { status: 200, code: 429, message: "exceeded its compute units" },
  "-32005 with HTTP 200": { status: 200, code: -32_005, message: "limit exceeded" },
  "-32007 with HTTP 400": { status: 400, code: -32_007, message: "50/second request limit reached" }
}

describe("an endpoint that limits the request rate", () => {
  for (const [how, refusal] of Object.entries(rates))
    it.live(`resends the same request after a pause if the endpoint limits the rate: ${how}`, () =>
      Effect.gen(function* () {
        const { cursor, endpoint, rail } = yield* deposited
        endpoint.asked.calls.length = 0
        yield* rail.scan(cursor, watched)
        const sizes = new Set(endpoint.asked.calls)
        endpoint.limit({ perSecond: 3 }, refusal)
        endpoint.asked.blocks.length = 0
        endpoint.asked.calls.length = 0
        const { arrivals } = yield* rail.scan(cursor, watched)
        assert.strictEqual(arrivals.length, 3)
        assert.isAbove(endpoint.refusals(), 0)
        assert.strictEqual(new Set(endpoint.asked.blocks).size, 1)
        assert.deepStrictEqual(new Set(endpoint.asked.calls), sizes)
      }).pipe(Effect.scoped)
    )

  for (const status of [200, 503])
    it.live(`quotes an endpoint's message with status ${status} on one line, without any part of the key`, () =>
      Effect.gen(function* () {
        const { chain, endpoint } = yield* deposited
        const key = "canary-of-a-long-key-".repeat(3)
        const rail = yield* TestRail.make(chain, { urls: [`${endpoint.url}/${key}`] })
        // The message is cut after 300 characters, inside the key.
        const filling = "x".repeat(300 - "no access ".length - 40)
        const message = `no access\r\n${filling}${key}`
        endpoint.limit({ calls: 0, perSecond: 0 }, { status, code: status === 200 ? -32_000 : null, message })
        const cause = yield* causeOf(rail.scan(null, watched))
        assert.match(cause, /no access x+/)
        assert.notInclude(cause, "canary")
      }).pipe(Effect.scoped)
    )

  it.live("pauses requests for as long as the endpoint demands, and quotes the endpoint's message in the error", () =>
    Effect.gen(function* () {
      const { cursor, endpoint, rail } = yield* deposited
      const refusal = { status: 429, code: -32_005, message: "daily request count exceeded" }
      endpoint.limit({ perSecond: 0 }, { ...refusal, headers: { "retry-after": "30" } })
      assert.match(yield* causeOf(rail.scan(cursor, watched)), /daily request count exceeded/)
      const asked = endpoint.asked.calls.length
      assert.match(yield* causeOf(rail.scan(cursor, watched)), /daily request count exceeded/)
      assert.strictEqual(endpoint.asked.calls.length, asked)
    }).pipe(Effect.scoped)
  )
})
