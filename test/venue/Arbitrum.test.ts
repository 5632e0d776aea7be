/** Deposits and withdrawals over Arbitrum One, with the whole venue, the real rail and a signing wallet. */
import * as Look from "@venue/cluster/entities/rail/Look"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import { type RailProvider, RailUnavailable } from "@venue/providers/rails/RailProvider"
import { Signer } from "@venue/providers/rails/Signer"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { DepositAddresses } from "@venue/storage/treasury/DepositAddresses"
import { TreasuryFlags } from "@venue/storage/treasury/TreasuryFlags"
import { Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { layerMemory, TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { getAddress } from "viem"
import * as TestChain from "../providers/rails/arbitrum/TestChain.ts"
import * as TestRail from "../providers/rails/arbitrum/TestRail.ts"
import * as TestWallet from "../apps/wallet/TestWallet.ts"
import { has, pathOf, statesOf, usd } from "./Rails.ts"
import * as Changes from "../storage/treasury/Changes.ts"

const destination = "0x90F79bf6EB2c4f870365E785982E1f101E93b906"
const fewMarkets = { ...defaults, desks: 2, instruments: new Map([...defaults.instruments].slice(0, 1)) }
type Services = Layer.Success<typeof layerMemory> | Scope.Scope

const story = <E>(name: string, tell: Effect.Effect<void, E, Services>) =>
  it.effect(name, () =>
    tell.pipe(Effect.provide(layerMemory), Effect.provideService(VenueSettings, fewMarkets), Effect.scoped)
  )

/** Creates a user with a deposit address, money in the hot account, and a wallet. */
const makeWorld = Effect.fnUntraced(function* (maxPayment = 100_000_000_000n) {
  const chain = yield* TestChain.make
  yield* chain.mint(TestRail.hot, usd(10_000))
  yield* chain.giveGas(TestRail.hot, 10n ** 18n)
  yield* chain.mine(70)
  const wallet = yield* TestWallet.options(chain.token)
  const { url } = yield* TestWallet.open({ ...wallet, limits: { ...wallet.limits, maxPayment } })
  const signer = Context.get(yield* Layer.build(TestWallet.signerAt(url)), Signer)
  const rail = yield* TestRail.make(chain, { overdueMillis: 600_000, signer })
  const user = yield* (yield* TestVenue).user("ann", 1_000)
  const { address } = yield* (yield* DepositAddresses).provide(user.userId, "ARBITRUM_ONE", TestRail.addressAt)
  const look = yield* Look.make(rail)
  yield* look
  return { chain, rail, user, address, look }
})
const world = makeWorld()

story(
  "credits a deposit within two polls after its twentieth block, and never earlier",
  Effect.gen(function* () {
    const { address, chain, look, user } = yield* world
    const hash = yield* chain.mint(address, usd(25))
    yield* chain.mine()
    yield* look
    yield* chain.mine(18)
    for (let again = 0; again < 3; again += 1) yield* look
    assert.strictEqual(yield* pathOf("ARBITRUM_ONE", hash), "DETECTED")
    yield* chain.mine()
    for (let again = 0; again < 2; again += 1) yield* look
    assert.strictEqual(yield* has(user), usd(1_025))
    assert.strictEqual(yield* pathOf("ARBITRUM_ONE", hash), "DETECTED CONFIRMED CREDITED")
    yield* chain.mine(90)
    for (let again = 0; again < 3; again += 1) yield* look
    assert.strictEqual(yield* has(user), usd(1_025))
  })
)

story(
  "drops a deposit after a reorganisation of 3 blocks, and reverses a credited deposit after a reorganisation of 30 blocks",
  Effect.gen(function* () {
    const { address, chain, look, user } = yield* world
    const early = yield* chain.mint(address, usd(25))
    yield* chain.mine(3)
    yield* look
    yield* chain.reorganise(3)
    for (let again = 0; again < 2; again += 1) yield* look
    assert.strictEqual(yield* pathOf("ARBITRUM_ONE", early), "DETECTED DROPPED")
    assert.strictEqual(yield* has(user), usd(1_000))

    const late = yield* chain.mint(address, usd(40))
    yield* chain.mine(30)
    for (let again = 0; again < 3; again += 1) yield* look
    assert.strictEqual(yield* has(user), usd(1_040))
    yield* chain.reorganise(30)
    yield* look
    // Waits long enough for a transaction to be included a second time.
    yield* TestClock.adjust("1 minute")
    for (let again = 0; again < 2; again += 1) yield* look
    assert.strictEqual(yield* pathOf("ARBITRUM_ONE", late), "DETECTED CONFIRMED CREDITED REVERSED")
    assert.strictEqual(yield* has(user), usd(1_000))
  })
)

const withdraw = (userId: TestUserId, withdrawalId: string, amount: bigint, to = destination) =>
  Effect.flatMap(DeskClient, (desks) =>
    desks.ask(userId, (desk) =>
      desk.Withdraw({ userId, cost: noCost, withdrawalId, method, amount, destination: to, reasons: [] })
    )
  )
const method = "ARBITRUM_ONE"

type TestUserId = Effect.Success<typeof world>["user"]["userId"]

story(
  "pays a withdrawal once, and settles the withdrawal when the payment's block is final",
  Effect.gen(function* () {
    const { chain, look, user } = yield* world
    yield* withdraw(user.userId, "w", usd(91))
    yield* look
    yield* chain.mine()
    assert.strictEqual(yield* chain.balanceOf(destination), usd(90))
    yield* look
    assert.strictEqual(yield* statesOf("w"), "ACCEPTED QUEUED SUBMITTED")
    yield* chain.mine(64)
    yield* look
    assert.strictEqual(yield* statesOf("w"), "ACCEPTED QUEUED SUBMITTED SETTLED")
    assert.strictEqual(yield* has(user), usd(909))
  })
)

const ended = () => new RailUnavailable({ rail: "ARBITRUM_ONE", cause: "the process ended" })

/** Points at which the owner's process exits. Its last request to the rail might still have been executed. */
const endings: Readonly<Record<string, (rail: RailProvider) => RailProvider>> = {
  "before the payment is signed": (rail) => ({ ...rail, sign: ended }),
  "after the payment is signed but before it is stored": (rail) => ({
    ...rail,
    sign: (order) => Effect.andThen(rail.sign(order), ended())
  }),
  "after the payment is stored but before it is sent": (rail) => ({ ...rail, send: ended }),
  "after the payment is sent": (rail) => ({ ...rail, send: (payment) => Effect.andThen(rail.send(payment), ended()) }),
  "before the outcome of the payment is known": (rail) => ({ ...rail, outcome: ended })
}
for (const [when, ending] of Object.entries(endings))
  story(
    `the next owner pays a withdrawal once if the previous owner exits ${when}`,
    Effect.gen(function* () {
      const { chain, look, rail, user } = yield* world
      yield* withdraw(user.userId, "w", usd(91))
      yield* withdraw(user.userId, "x", usd(51))
      const last = yield* Look.make(ending(rail))
      for (let again = 0; again < 2; again += 1) yield* last
      yield* chain.mine()
      for (let again = 0; again < 2; again += 1) yield* look
      yield* chain.mine()
      yield* look
      yield* chain.mine(66)
      yield* look
      for (const id of ["w", "x"]) {
        assert.strictEqual(yield* statesOf(id), "ACCEPTED QUEUED SUBMITTED SETTLED")
        assert.lengthOf(yield* (yield* Withdrawals).payments(id), 1)
      }
      assert.strictEqual(yield* chain.balanceOf(destination), usd(140))
      assert.strictEqual(yield* has(user), usd(858))
    })
  )

story(
  "keeps a withdrawal's nonce if the owner crashes after signing, even if the user is then frozen",
  Effect.gen(function* () {
    const { chain, look, rail, user } = yield* world
    const other = yield* (yield* TestVenue).user("ben", 1_000)
    yield* withdraw(user.userId, "w", usd(91))
    const dying = yield* Look.make({ ...rail, sign: (order) => Effect.andThen(rail.sign(order), ended()) })
    yield* dying
    yield* withdraw(other.userId, "x", usd(51))
    const frozen = { kind: "user", subject: user.userId, effect: "frozen" } as const
    yield* (yield* TreasuryFlags).set({ ...frozen, reason: "", setBy: "olga" })
    for (let again = 0; again < 2; again += 1) yield* look
    yield* chain.mine(66)
    yield* look
    for (const id of ["w", "x"]) assert.strictEqual(yield* statesOf(id), "ACCEPTED QUEUED SUBMITTED SETTLED")
    assert.strictEqual(yield* chain.balanceOf(destination), usd(140))
  })
)

story(
  "a withdrawal that the wallet refuses stops the queue, and is refunded after an operator's cancel is final",
  Effect.gen(function* () {
    const { chain, look, rail, user } = yield* makeWorld(usd(80))
    const { cancel, payments, refused } = yield* Changes.withdrawals
    yield* withdraw(user.userId, "w", usd(91))
    yield* withdraw(user.userId, "x", usd(51))
    for (let again = 0; again < 2; again += 1) yield* look
    assert.strictEqual(yield* statesOf("w"), "ACCEPTED QUEUED SUBMITTED")
    assert.strictEqual(yield* statesOf("x"), "ACCEPTED QUEUED")
    const [why] = yield* refused(10)
    assert.strictEqual(why!.refusal!._tag, "WalletRefuses")
    assert.match(Reflect.get(why!.refusal!, "text"), /the payment is 90000000; the maximum is 80000000/)
    yield* cancel("w", { by: "olga", reason: "above the limit" })
    // The first owner exits after it has signed the cancel.
    yield* yield* Look.make({ ...rail, sign: (order) => Effect.andThen(rail.sign(order), ended()) })
    for (let again = 0; again < 2; again += 1) yield* look
    assert.deepStrictEqual(yield* refused(10), [])
    yield* chain.mine()
    yield* look
    assert.strictEqual(yield* statesOf("w"), "ACCEPTED QUEUED SUBMITTED", "its block is not final")
    yield* chain.mine(66)
    yield* look
    assert.strictEqual(yield* statesOf("w"), "ACCEPTED QUEUED SUBMITTED FAILED")
    assert.deepStrictEqual(
      (yield* payments("w")).map(({ purpose }) => purpose),
      ["cancel"]
    )
    assert.strictEqual(yield* statesOf("x"), "ACCEPTED QUEUED SUBMITTED SETTLED")
    assert.strictEqual(yield* chain.balanceOf(destination), usd(50))
    assert.strictEqual(yield* has(user), usd(1_000 - 51))
  })
)

story(
  "keeps a withdrawal queued with a reason while the hot account lacks funds, and pays the withdrawals behind it",
  Effect.gen(function* () {
    const { chain, look, user } = yield* world
    const rich = yield* (yield* TestVenue).user("cal", 50_000)
    yield* withdraw(rich.userId, "w", usd(20_000))
    yield* withdraw(user.userId, "x", usd(51))
    yield* look
    assert.strictEqual(yield* statesOf("w"), "ACCEPTED QUEUED")
    assert.strictEqual(yield* statesOf("x"), "ACCEPTED QUEUED SUBMITTED")
    assert.strictEqual((yield* (yield* Withdrawals).refused(10))[0]!.refusal!._tag, "TokenBalanceTooLow")
    yield* chain.mint(TestRail.hot, usd(20_000))
    yield* chain.mine()
    yield* look
    yield* chain.mine(66)
    yield* look
    assert.strictEqual(yield* statesOf("w"), "ACCEPTED QUEUED SUBMITTED SETTLED")
    assert.deepStrictEqual(yield* (yield* Withdrawals).refused(10), [])
  })
)

story(
  "cancels an unpayable queued withdrawal and refunds it once, even while the user is frozen",
  Effect.gen(function* () {
    const { chain, look, user } = yield* world
    const { cancel, payments, refused } = yield* Changes.withdrawals
    yield* withdraw(user.userId, "w", usd(91), getAddress(chain.token))
    yield* withdraw(user.userId, "x", usd(51))
    yield* look
    assert.strictEqual((yield* refused(10))[0]!.refusal!._tag, "UnpayableDestination")
    assert.strictEqual(yield* statesOf("x"), "ACCEPTED QUEUED SUBMITTED")
    const frozen = { kind: "user", subject: user.userId, effect: "frozen" } as const
    yield* (yield* TreasuryFlags).set({ ...frozen, reason: "", setBy: "olga" })
    yield* (yield* VenueModes).blockWithdrawals({ by: "olga", reason: "a drill" })
    assert.isTrue(yield* cancel("w", { by: "olga", reason: "nobody can be paid there" }))
    yield* look
    assert.strictEqual(yield* statesOf("w"), "ACCEPTED QUEUED SUBMITTED")
    assert.deepStrictEqual(yield* refused(10), [])
    yield* chain.mine()
    yield* look
    assert.strictEqual(yield* has(user), usd(1_000 - 142), "its block is not final")
    yield* chain.mine(66)
    for (let again = 0; again < 3; again += 1) yield* look
    assert.strictEqual(yield* statesOf("w"), "ACCEPTED QUEUED SUBMITTED FAILED")
    assert.deepStrictEqual(
      (yield* payments("w")).map(({ purpose }) => purpose),
      ["cancel"]
    )
    assert.strictEqual(yield* statesOf("x"), "ACCEPTED QUEUED SUBMITTED SETTLED")
    assert.strictEqual(yield* chain.balanceOf(TestRail.hot), usd(10_000 - 50))
    assert.strictEqual(yield* has(user), usd(1_000 - 51))
  })
)

story(
  "if a manual payment takes a withdrawal's nonce, pays later withdrawals, and refunds the displaced one on a cancel",
  Effect.gen(function* () {
    const { chain, look, rail, user } = yield* world
    const { cancel, find } = yield* Changes.withdrawals
    yield* withdraw(user.userId, "w", usd(91))
    yield* yield* Look.make({ ...rail, send: () => Effect.void })
    const byHand = yield* TestRail.make(chain)
    for (const sequence of [0, 1])
      yield* byHand.send(yield* byHand.sign(TestRail.order({ withdrawalId: "by hand", amount: usd(1), sequence })))
    yield* chain.mine()
    yield* withdraw(user.userId, "x", usd(51))
    yield* look
    assert.strictEqual(yield* statesOf("x"), "ACCEPTED QUEUED", "a reorganisation could free the numbers")
    yield* chain.mine(64)
    yield* look
    assert.strictEqual(Option.getOrThrow(yield* find("x")).sequence, 2)
    yield* chain.mine(66)
    yield* look
    assert.strictEqual(yield* statesOf("x"), "ACCEPTED QUEUED SUBMITTED SETTLED")
    assert.strictEqual(yield* statesOf("w"), "ACCEPTED QUEUED SUBMITTED")
    yield* cancel("w", { by: "olga", reason: "a transfer by hand has its nonce" })
    for (let again = 0; again < 3; again += 1) yield* look
    assert.strictEqual(yield* statesOf("w"), "ACCEPTED QUEUED SUBMITTED FAILED")
    yield* chain.mine(66)
    yield* look
    assert.strictEqual(yield* chain.balanceOf(destination), usd(52))
    assert.strictEqual(yield* has(user), usd(1_000 - 51))
  })
)
