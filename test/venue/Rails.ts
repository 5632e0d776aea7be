/** A venue with simulated rails, and helpers for the treasury tests. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { depositIdOf } from "@venue/domain/Deposit"
import type { Network, RailName, WithdrawalMethod } from "@venue/domain/Rail"
import type { HoldReason } from "@venue/domain/Withdrawal"
import { RailProviders } from "@venue/providers/rails/RailProvider"
import { SimulatedRails } from "@venue/providers/rails/SimulatedRails"
import { DepositAddresses } from "@venue/storage/treasury/DepositAddresses"
import { Deposits } from "@venue/storage/treasury/Deposits"
import { Withdrawals } from "@venue/storage/treasury/Withdrawals"
import * as TestRails from "@venue/testing/TestRails"
import { layerMemory, TestVenue, type TestUser } from "@venue/testing/TestVenue"
import { it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"

export const usd = (whole: number) => BigInt(whole * 1_000_000)

const withRails = TestRails.layer.pipe(Layer.provideMerge(layerMemory))
type Services = Layer.Success<typeof withRails>

/** One market is enough. */
const fewMarkets = { ...defaults, desks: 2, instruments: new Map([...defaults.instruments].slice(0, 1)) }

export const story = <E>(name: string, tell: (venue: TestVenue["Service"]) => Effect.Effect<void, E, Services>) =>
  it.effect(name, () =>
    Effect.flatMap(TestVenue, tell).pipe(Effect.provide(withRails), Effect.provideService(VenueSettings, fewMarkets))
  )

/** Advances the clock in small steps and completes all due work after each step. */
export const pass = Effect.fnUntraced(function* (seconds: number) {
  const { settle } = yield* TestVenue
  for (let second = 0; second < seconds; second++) {
    yield* TestClock.adjust("1 second")
    yield* settle
  }
})

export const simulated = (rail: RailName) => Effect.map(SimulatedRails, (rails) => rails.get(rail)!)

export const addressOf = Effect.fnUntraced(function* ({ userId }: TestUser, network: Network) {
  const { addressAt } = (yield* RailProviders).get(network)!
  return (yield* (yield* DepositAddresses).provide(userId, network, addressAt!)).address
})

/** Returns the primary account's balance, in 1e-6 USD. */
export const has = Effect.fnUntraced(function* ({ userId }: TestUser) {
  const desks = yield* DeskClient
  const [balance] = yield* desks.balances({ userId, accountId: primaryAccountOf(userId), cost: noCost })
  return balance!.deposit
})

export const withdraw = Effect.fnUntraced(function* (
  { userId }: TestUser,
  withdrawalId: string,
  amount: bigint,
  method: WithdrawalMethod = "ARBITRUM_ONE",
  reasons: ReadonlyArray<HoldReason> = []
) {
  const desks = yield* DeskClient
  const command = { withdrawalId, method, amount, destination: "0xabc", reasons }
  yield* desks.ask(userId, (desk) => desk.Withdraw({ userId, cost: noCost, ...command }))
})

export const statesOf = Effect.fnUntraced(function* (withdrawalId: string) {
  return (yield* (yield* Withdrawals).steps(withdrawalId)).map(({ toState }) => toState).join(" ")
})

export const depositOf = Effect.fnUntraced(function* (rail: RailName, txHash: string) {
  return Option.getOrUndefined(yield* (yield* Deposits).find(depositIdOf(rail, txHash, 0)))
})

export const pathOf = Effect.fnUntraced(function* (rail: RailName, txHash: string) {
  return (yield* (yield* Deposits).steps(depositIdOf(rail, txHash, 0))).map(({ toState }) => toState).join(" ")
})

/** Returns how often the rail paid each withdrawal. */
export const paidTimes = Effect.fnUntraced(function* (rail: RailName) {
  const times = new Map<string, number>()
  for (const { fate, withdrawalId } of yield* (yield* simulated(rail)).payments) {
    if (fate === "pay") times.set(withdrawalId, (times.get(withdrawalId) ?? 0) + 1)
  }
  return times
})
