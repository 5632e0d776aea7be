/** Tests of withdrawals on simulated chains with the rules of each real chain. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import * as Paying from "@venue/cluster/entities/rail/Paying"
import type { WithdrawalMethod } from "@venue/domain/Rail"
import { UserId } from "@venue/domain/UserId"
import type { RailProvider } from "@venue/providers/rails/RailProvider"
import * as TronAddress from "@venue/providers/rails/tron/TronAddress"
import { BankAccounts } from "@venue/storage/treasury/BankAccounts"
import { Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as TestChain from "../../../providers/rails/arbitrum/TestChain.ts"
import * as TestRail from "../../../providers/rails/arbitrum/TestRail.ts"
import { logOf, solidDepth } from "../../../providers/rails/tron/TronChain.ts"
import { hot, scene, somebody, withNodes } from "../../../providers/rails/tron/TronServer.ts"
import * as World from "../../../storage/treasury/TreasuryWorld.ts"

const userId = UserId.make("ann")
const ids = ["first", "second", "third"]
const usd = (whole: number) => BigInt(whole) * 1_000_000n
const desk = Layer.succeed(DeskClient)({ ask: () => Effect.die("nothing goes back") } as never)
const tables = Layer.mergeAll(desk, BankAccounts.layerMemory, World.inMemory)

const destination = "0x90F79bf6EB2c4f870365E785982E1f101E93b906"
const accepted = (id: string, net: bigint) => World.accepted(id, { destination, amount: net + usd(1), fee: usd(1) })

/** Queues three withdrawals with this net amount each. */
const three = Effect.fnUntraced(function* (method: WithdrawalMethod, destination: string, net: bigint) {
  for (const [atMillis, id] of ids.entries())
    yield* World.recorded(
      userId,
      World.accepted(id, { method, destination, amount: net + usd(1), fee: usd(1), atMillis })
    )
})

const states = Effect.forEach(ids, (id) => Effect.map(World.withdrawal(id), ({ state }) => state))

const makeLook = (provider: RailProvider) =>
  Effect.map(Paying.make(provider), ({ outcomes, queue }) => Effect.andThen(outcomes, queue))

it.effect(
  "TRON: of three withdrawals that each need half the balance, submits two, and the third only after a deposit",
  () =>
    withNodes(
      Effect.gen(function* () {
        const tron = yield* scene()
        const payee = TronAddress.ofHex(`41${"9e".repeat(20)}`)
        yield* three("TRON", payee, usd(500_000))
        const look = yield* makeLook(tron.provider)
        for (let again = 0; again < 3; again += 1) {
          yield* look
          assert.deepStrictEqual(yield* states, ["SUBMITTED", "SUBMITTED", "QUEUED"])
        }
        assert.deepInclude((yield* World.withdrawal("third")).refusal, {
          _tag: "TokenBalanceTooLow",
          promised: "1000000000000"
        })
        yield* tron.mine(solidDepth + 1)
        yield* look
        assert.deepStrictEqual(yield* states, ["SETTLED", "SETTLED", "QUEUED"])
        tron.chain.outside([logOf(somebody, hot, usd(500_000))])
        yield* tron.mine(solidDepth + 1)
        yield* look
        yield* tron.mine(solidDepth + 1)
        yield* look
        assert.deepStrictEqual(yield* states, ["SETTLED", "SETTLED", "SETTLED"])
      }).pipe(Effect.provide(tables))
    )
)

it.effect("Arbitrum One: frees the reserved amount of a payment that is in a block, before the block is final", () =>
  Effect.gen(function* () {
    const chain = yield* TestChain.make
    yield* chain.mint(TestRail.hot, usd(100))
    yield* chain.giveGas(TestRail.hot, 10n ** 18n)
    yield* chain.mine()
    const rail = yield* TestRail.make(chain, { overdueMillis: 600_000 })
    yield* three("ARBITRUM_ONE", destination, usd(50))
    // The payments are recorded as sent, but have not reached the chain.
    yield* yield* makeLook({ ...rail, send: () => Effect.void })
    assert.deepStrictEqual(yield* states, ["SUBMITTED", "SUBMITTED", "QUEUED"])
    const look = yield* makeLook(rail)
    yield* look
    assert.deepStrictEqual(yield* states, ["SUBMITTED", "SUBMITTED", "QUEUED"])
    yield* chain.mint(TestRail.hot, usd(50))
    yield* chain.mine()
    yield* TestClock.adjust("1 second")
    yield* look
    assert.deepStrictEqual(yield* states, ["SUBMITTED", "SUBMITTED", "SUBMITTED"])
    yield* chain.mine(65)
    yield* look
    assert.deepStrictEqual(yield* states, ["SETTLED", "SETTLED", "SETTLED"])
    assert.strictEqual(yield* (yield* Withdrawals).promised("ARBITRUM_ONE", 0), 0n)
  }).pipe(Effect.provide(tables), Effect.scoped)
)

it.effect("Arbitrum One: resends a payment whose fee is at the limit until the chain's fee falls", () =>
  Effect.gen(function* () {
    const chain = yield* TestChain.make
    yield* chain.mint(TestRail.hot, usd(100))
    yield* chain.giveGas(TestRail.hot, 10n ** 18n)
    yield* chain.mine(20)
    yield* chain.rpc("anvil_setNextBlockBaseFeePerGas", 1_000_000_000n)
    yield* chain.mine()
    const rail = yield* TestRail.make(chain, { maxFeePerGas: 2_200_000_000n })
    yield* World.recorded(userId, accepted("w", usd(50)))
    const look = yield* makeLook(rail)
    yield* look
    const [first] = yield* (yield* Withdrawals).payments("w")
    yield* chain.rpc("anvil_dropTransaction", first!.reference)
    yield* chain.rpc("anvil_setNextBlockBaseFeePerGas", 3_000_000_000n)
    yield* chain.mine()
    const dear = yield* Effect.flip(look)
    assert.match(String(Reflect.get(dear, "cause")), /configured maximum of 2200000000/)
    yield* chain.rpc("anvil_setNextBlockBaseFeePerGas", 1_000_000_000n)
    yield* chain.mine()
    yield* TestClock.adjust("1 minute")
    yield* Effect.flip(look)
    yield* chain.mine(66)
    yield* look
    assert.strictEqual((yield* World.withdrawal("w")).state, "SETTLED")
    assert.lengthOf(yield* (yield* Withdrawals).payments("w"), 1)
  }).pipe(Effect.provide(tables), Effect.scoped)
)
