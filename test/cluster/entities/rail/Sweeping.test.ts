/** Tests of sweeps on a real chain, with owners that crash at any step. */
import * as Sweeping from "@venue/cluster/entities/rail/Sweeping"
import { UserId } from "@venue/domain/UserId"
import { type RailProvider, RailUnavailable } from "@venue/providers/rails/RailProvider"
import { DepositAddresses } from "@venue/storage/treasury/DepositAddresses"
import { Sweeps } from "@venue/storage/treasury/Sweeps"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import * as TestChain from "../../../providers/rails/arbitrum/TestChain.ts"
import * as TestRail from "../../../providers/rails/arbitrum/TestRail.ts"

const tables = Layer.merge(DepositAddresses.layerMemory, Sweeps.layerMemory)
const network = "ARBITRUM_ONE"

/** Creates three users. Two of them have deposited enough for a sweep. */
const world = (options: TestRail.TestRailOptions = {}) =>
  Effect.gen(function* () {
    const chain = yield* TestChain.make
    const rail = yield* TestRail.make(chain, { leastSweep: 10_000_000n, ...options })
    yield* chain.giveGas(TestRail.gasPayer, 10n ** 18n)
    const addresses = yield* DepositAddresses
    const [rich, poor, other] = yield* Effect.forEach(["amy", "ben", "cat"], (name) =>
      Effect.map(addresses.provide(UserId.make(name), network, TestRail.addressAt), ({ address }) => address)
    )
    yield* chain.mint(rich!, 30_000_000n)
    yield* chain.mint(poor!, 9_999_999n)
    yield* chain.mint(other!, 12_000_000n)
    yield* chain.mine(20)
    return { chain, rail, rich: rich!, poor: poor!, other: other! }
  })

const stateOf = Effect.gen(function* () {
  const open = yield* (yield* Sweeps).open(network)
  return open.map(({ attempts, sequence }) => [sequence, attempts.length])
})

const live = <E>(name: string, body: Effect.Effect<void, E, DepositAddresses | Sweeps | Scope.Scope>) =>
  it.live(name, () => body.pipe(Effect.provide(tables), Effect.scoped))

live(
  "sweeps balances above the minimum from addresses that hold no gas",
  Effect.gen(function* () {
    const { chain, poor, rail, rich } = yield* world()
    yield* Sweeping.pass(rail)
    assert.deepStrictEqual(yield* stateOf, [
      [0, 1],
      [1, 1]
    ])
    yield* chain.mine()
    assert.strictEqual(yield* chain.balanceOf(TestRail.hot), 42_000_000n)
    assert.strictEqual(yield* chain.balanceOf(rich), 0n)
    assert.strictEqual(yield* chain.balanceOf(poor), 9_999_999n)
    yield* Sweeping.pass(rail)
    assert.strictEqual((yield* stateOf).length, 2)
    yield* chain.mine(64)
    yield* Sweeping.pass(rail)
    assert.deepStrictEqual(yield* stateOf, [])
    yield* chain.mint(rich, 11_000_000n)
    yield* chain.mine(20)
    yield* Sweeping.pass(rail)
    yield* chain.mine()
    assert.strictEqual(yield* chain.balanceOf(TestRail.hot), 53_000_000n)
  })
)

live(
  "does not sweep a balance before it is confirmed",
  Effect.gen(function* () {
    const { chain, poor, rail } = yield* world()
    yield* chain.mint(poor, 50_000_000n)
    yield* chain.mine(19)
    yield* Sweeping.pass(rail)
    assert.strictEqual((yield* stateOf).length, 2)
    yield* chain.mine()
    yield* Sweeping.pass(rail)
    assert.strictEqual((yield* stateOf).length, 3)
  })
)

live(
  "sends the sweep that a crashed owner stored, or signs a new sweep if the crashed owner stored none",
  Effect.gen(function* () {
    const { chain, rail } = yield* world({ overdueMillis: 600_000 })
    const unsent: RailProvider = { ...rail, send: () => new RailUnavailable({ rail: network, cause: "ended" }) }
    yield* Effect.flip(Sweeping.pass(unsent))
    assert.deepStrictEqual(yield* stateOf, [[0, 1]])
    yield* chain.mine()
    assert.strictEqual(yield* chain.balanceOf(TestRail.hot), 0n)

    const unsigned: RailProvider = {
      ...rail,
      sweeper: { ...rail.sweeper!, sign: () => new RailUnavailable({ rail: network, cause: "ended" }) }
    }
    yield* Effect.flip(Sweeping.pass(unsigned))
    assert.deepStrictEqual(yield* stateOf, [[0, 1]])
    yield* Sweeping.pass(rail)
    yield* chain.mine()
    assert.strictEqual(yield* chain.balanceOf(TestRail.hot), 42_000_000n)
  })
)

live(
  "sweeps an address once if several owners run at the same time",
  Effect.gen(function* () {
    const { chain, rail } = yield* world()
    yield* Effect.all([Sweeping.pass(rail), Sweeping.pass(rail), Sweeping.pass(rail)], { concurrency: "unbounded" })
    yield* Sweeping.pass(rail)
    yield* chain.mine(65)
    assert.strictEqual(yield* chain.balanceOf(TestRail.hot), 42_000_000n)
    yield* Sweeping.pass(rail)
    assert.deepStrictEqual(yield* stateOf, [])
    assert.strictEqual(yield* (yield* Sweeps).lastSequence(network), 1)
  })
)

live(
  "replaces a sweep that offers too low a fee, under the same sequence number",
  Effect.gen(function* () {
    const { chain, rail } = yield* world()
    yield* Sweeping.pass(rail)
    yield* chain.rpc("anvil_setNextBlockBaseFeePerGas", 10_000_000_000n)
    yield* chain.mine()
    assert.strictEqual(yield* chain.balanceOf(TestRail.hot), 0n)
    yield* Sweeping.pass(rail)
    assert.deepInclude(yield* stateOf, [0, 2])
    yield* chain.mine()
    yield* Sweeping.pass(rail)
    yield* chain.mine(66)
    yield* Sweeping.pass(rail)
    yield* chain.mine(66)
    yield* Sweeping.pass(rail)
    assert.deepStrictEqual(yield* stateOf, [])
    assert.strictEqual(yield* chain.balanceOf(TestRail.hot), 42_000_000n)
  })
)

live(
  "resends a lost sweep at the fee limit, and continues with other sweeps",
  Effect.gen(function* () {
    const { chain, rail } = yield* world({ maxFeePerGas: 2_200_000_000n })
    yield* Sweeping.pass(rail)
    yield* chain.rpc("anvil_dropAllTransactions")
    yield* chain.rpc("anvil_setNextBlockBaseFeePerGas", 3_000_000_000n)
    yield* chain.mine()
    yield* Sweeping.pass(rail)
    yield* chain.rpc("anvil_setNextBlockBaseFeePerGas", 1_000_000_000n)
    yield* chain.mine()
    assert.deepStrictEqual(yield* stateOf, [
      [0, 1],
      [1, 1]
    ])
    yield* Sweeping.pass(rail)
    yield* chain.mine()
    yield* Sweeping.pass(rail)
    yield* chain.mine(66)
    assert.strictEqual(yield* chain.balanceOf(TestRail.hot), 42_000_000n)
    yield* Sweeping.pass(rail)
    assert.deepStrictEqual(yield* stateOf, [])
  })
)

live(
  "sweeps other addresses while one address is blocked, and retries a failed sweep",
  Effect.gen(function* () {
    const { chain, other, rail, rich } = yield* world()
    yield* chain.ask("setBlocked", rich, true)
    yield* chain.mine()
    yield* Sweeping.pass(rail)
    assert.deepStrictEqual(yield* stateOf, [[0, 1]])
    yield* chain.rpc("anvil_dropAllTransactions")
    yield* chain.ask("setBlocked", other, true)
    yield* chain.mine()
    yield* Sweeping.pass(rail)
    yield* chain.mine(65)
    yield* Sweeping.pass(rail)
    assert.deepStrictEqual(yield* stateOf, [])
    for (const address of [rich, other]) yield* chain.ask("setBlocked", address, false)
    yield* chain.mine()
    yield* Sweeping.pass(rail)
    yield* chain.mine()
    assert.strictEqual(yield* chain.balanceOf(TestRail.hot), 42_000_000n)
  })
)

live(
  "refuses a sweep, with the reason, if the payer lacks gas or the key does not derive the address",
  Effect.gen(function* () {
    const { chain, rail, rich } = yield* world()
    const order = { index: 0, address: rich, amount: 1n, sequence: 0, previous: [] }
    yield* chain.giveGas(TestRail.gasPayer, 5n)
    const poor = yield* Effect.flip(rail.sweeper!.sign(order))
    assert.deepInclude(Reflect.get(poor, "obstacle"), { _tag: "GasBalanceTooLow", heldWei: "5" })
    const wrong = yield* Effect.flip(rail.sweeper!.sign({ ...order, index: 1 }))
    assert.deepInclude(wrong, { obstacle: { _tag: "AddressNotDerived", address: rich, index: 1 } })
  })
)
