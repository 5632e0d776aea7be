/** Last state of the chain that the provider of Arbitrum One reports for metrics. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Held from "../Held.ts"
import * as TestChain from "./TestChain.ts"
import * as TestRail from "./TestRail.ts"

it.live("reports blocks, endpoints and the hot account as of the last responses, and nothing before", () =>
  Effect.gen(function* () {
    const chain = yield* TestChain.make
    const rail = yield* TestRail.make(chain)
    const none = { newestBlock: undefined, readBlock: undefined, hotMoney: undefined, hotGas: undefined, failing: 0 }
    assert.deepInclude(rail.sight!(), none)
    yield* chain.mint(TestRail.hot, 100_000_000n)
    yield* chain.giveGas(TestRail.hot, 10n ** 18n)
    yield* chain.mine(40)
    yield* Held.holdings(rail, { sent: [] })
    const { hotGas, hotMoney, newestBlock, readBlock } = rail.sight!()
    assert.deepStrictEqual([hotMoney, hotGas], [100_000_000n, 10n ** 18n])
    assert.isAtLeast(newestBlock!, 40)
    assert.strictEqual(readBlock, newestBlock)
  }).pipe(Effect.scoped)
)
