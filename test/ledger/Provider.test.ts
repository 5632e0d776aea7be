/** Tests of liquidity providers and of the amounts that they take over (rule 9.11). */
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as OpenInterest from "@venue/domain/OpenInterest"
import { refresh } from "@venue/ledger/Account"
import * as Ledger from "@venue/ledger/Ledger"
import * as Provider from "@venue/ledger/Provider"
import { accountOf, exposureOf } from "@venue/ledger/Trader"
import { assert, test } from "@effect/vitest"
import { Result } from "effect"
import { aapl, alice, gold, instruments, make } from "./Scene.ts"

const primary = primaryAccountOf(alice)
const appoint = { _tag: "AppointProvider", accountId: primary, symbols: [aapl], limit: 15_000_000_000 } as const

/** Returns a provider with a limit of 15,000 USD in AAPL at a mark of 186, and with this deposit. */
const provider = (deposit: number, limit = 15_000) => {
  const scene = make()
  scene.credit(deposit)
  scene.price(aapl, 186)
  scene.ask({ ...appoint, limit: limit * 1_000_000 })
  return scene
}
const part = ({ trader }: ReturnType<typeof make>, symbol = aapl, accountId = primary) => {
  const account = accountOf(trader, accountId)
  const exposure = exposureOf(trader, account, symbol)!
  refresh(account, trader.prices)
  return Provider.part(account, exposure)
}

test("with a limit of 15,000 USD and 1,500 USD available at 10x, a provider takes up to 80.645 AAPL at 186 in either direction", () => {
  const [buysLots, sellsLots] = [80_645, 80_645]
  assert.deepStrictEqual(part(provider(1_500)), { freeMargin: 1_500_000_000, buysLots, sellsLots, leverage: 10 })
})

test("a provider takes at most the lots whose initial margin is available", () => {
  assert.deepInclude(part(provider(1_000)), { buysLots: 53_763, sellsLots: 53_763 })
  const ordered = provider(1_000)
  ordered.accept(ordered.placed("BUY", 20, 186))
  // The order holds margin of 372.
  assert.deepInclude(part(ordered), { freeMargin: 628_000_000, buysLots: 33_763 })
})

test("a provider's existing position counts towards its limit, and needs no margin to be reduced", () => {
  const long = provider(100_000)
  long.hold(50, 186)
  assert.deepInclude(part(long), { buysLots: 30_645, sellsLots: 130_645 })
  const short = provider(930)
  short.hold(-50, 186)
  assert.deepStrictEqual(part(short), { freeMargin: 0, buysLots: 50_000, sellsLots: 0, leverage: 10 })
})

test("a provider above its limit and in debt takes only lots that reduce its position", () => {
  const scene = provider(0)
  scene.hold(100, 190)
  assert.deepStrictEqual(part(scene), { freeMargin: 0, buysLots: 0, sellsLots: 100_000, leverage: 10 })
})

test("a provider is appointed by account and symbol, and takes nothing over before the first price", () => {
  const scene = provider(1_500)
  scene.ask({ _tag: "OpenAccount", accountId: AccountId.make("sub") })
  scene.price(gold, 3_400)
  assert.isNull(part(scene, gold))
  assert.isNull(part(scene, aapl, AccountId.make("sub")))
  scene.ask({ ...appoint, symbols: [MarketSymbol.make("MSFT-USD")] })
  assert.isNull(part(scene, MarketSymbol.make("MSFT-USD")))
})

test("a provider without a position has an exposure in its market, also after a restore from a snapshot", () => {
  const { trader } = provider(1_500)
  const restored = Ledger.make(alice, instruments, trader.prices, OpenInterest.none(), Ledger.defaults)
  Ledger.restore(restored, Ledger.snapshot(trader))
  for (const each of [trader, restored]) assert.deepStrictEqual([...accountOf(each, primary).exposures.keys()], [aapl])
})

test("records a provider's limit only if it changes, and ends the appointment with a limit of 0", () => {
  const scene = make()
  const recorded = (command: Parameters<typeof scene.ask>[0]) =>
    Result.getOrThrow(scene.ask(command)).map((event) => ("symbols" in event ? event.symbols : event))
  assert.deepStrictEqual(recorded(appoint), [[aapl]])
  assert.deepStrictEqual(recorded({ ...appoint, symbols: [aapl, gold] }), [[gold]])
  assert.deepStrictEqual(recorded(appoint), [])
  assert.deepStrictEqual(recorded({ ...appoint, limit: 0 }), [[aapl]])
  assert.deepStrictEqual(recorded({ ...appoint, limit: 0 }), [])
  assert.deepStrictEqual([...accountOf(scene.trader, primary).providerLimits.keys()], [gold])
})

test("refuses a provider appointment for an unknown account or an unlisted symbol", () => {
  const { ask } = make()
  const refusal = (command: object) => Result.getOrThrow(Result.flip(ask({ ...appoint, ...command })))._tag
  assert.strictEqual(refusal({ accountId: AccountId.make("sub") }), "UnknownAccount")
  assert.strictEqual(refusal({ symbols: [aapl, MarketSymbol.make("NOPE-USD")] }), "UnknownSymbol")
})
