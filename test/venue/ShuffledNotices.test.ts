/**
 * Rail notices in any order, repeated, late and contradictory. Each deposit and withdrawal still ends in a valid
 * state.
 */
import * as Look from "@venue/cluster/entities/rail/Look"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import * as DepositSteps from "@venue/domain/DepositSteps"
import * as WithdrawalSteps from "@venue/domain/WithdrawalSteps"
import type { Deposit } from "@venue/storage/treasury/Deposits"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { DepositAddresses } from "@venue/storage/treasury/DepositAddresses"
import { Deposits } from "@venue/storage/treasury/Deposits"
import { Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { layerMemory, type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { depositOf, has, usd, withdraw } from "./Rails.ts"
import * as Outside from "./ScriptedRail.ts"

const start = 1_000
const amounts = [50, 60]
const withdrawn = 100
const fee = 3

/** Notices about two deposits and two withdrawals, by index. */
const place = fc.nat({ max: 1 })
const notice = fc.oneof(
  fc.record({ _tag: fc.constant("Seen" as const), place, fork: fc.nat({ max: 2 }) }),
  fc.record({ _tag: fc.constant("Returned" as const), place }),
  fc.record({ _tag: fc.constant("Stands" as const), place, confirmations: fc.constantFrom(0, 1, 19, 20, 25, 200) }),
  fc.record({
    _tag: fc.constant("Outcome" as const),
    place,
    outcome: fc.constantFrom("Pending" as const, "Overdue" as const, "Settled" as const, "Failed" as const)
  }),
  fc.record({ _tag: fc.constantFrom("Look" as const, "TwoLooks" as const, "CutOff" as const, "Minute" as const) })
)

/** Random notices, and the final state of all deposits and withdrawals. */
const told = fc.record({
  notices: fc.array(notice, { minLength: 5, maxLength: 30 }),
  stay: fc.tuple(fc.boolean(), fc.boolean()),
  outcomes: fc.tuple(fc.constantFrom("Settled" as const, "Failed" as const), fc.constantFrom("Settled", "Failed"))
})

it.effect(
  "I9, I14 to I16: credits, reverses, pays or returns each amount once, for any order of notices from bank and chains",
  () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const outside = Outside.make()
      const looks = [yield* Look.make(outside.provider), yield* Look.make(outside.provider)] as const
      const totals = { credited: 0, paid: 0, fees: 0 }
      for (const [at, { notices, outcomes, stay }] of fc.sample(told, { numRuns: 60, seed: 20 }).entries()) {
        const user = yield* venue.user(`user ${at}`, start)
        const { address } = yield* (yield* DepositAddresses).provide(user.userId, "TRON", Outside.addressAt)
        const names = [0, 1].map((place) => `${at}-${place}`)
        const see = (place: number, fork: number) =>
          outside.see({
            txHash: names[place]!,
            logIndex: 0,
            to: address,
            amount: usd(amounts[place]!),
            block: { number: 7, hash: `of fork ${fork}` },
            paymentRail: null
          })
        for (const name of names) yield* withdraw(user, name, usd(withdrawn), "TRON")
        const looked = Effect.andThen(looks[0], kept(user, names, outside.numbers))
        for (const one of notices) {
          switch (one._tag) {
            case "Seen":
              see(one.place, one.fork)
              break
            case "Returned":
              outside.takeBack(names[one.place]!)
              break
            case "Stands":
              outside.stand(names[one.place]!, one.confirmations)
              break
            case "Outcome":
              outside.end(names[one.place]!, one.outcome)
              break
            case "CutOff":
              yield* outside.cutOff(looked)
              break
            case "Minute":
              yield* TestClock.adjust("61 seconds")
              break
            case "Look":
              yield* looked
              break
            case "TwoLooks":
              yield* Effect.all(looks, { concurrency: "unbounded" })
              yield* looked
          }
        }
        for (const [place, name] of names.entries()) {
          outside.stand(name, stay[place] ? 200 : 0)
          if (stay[place]) see(place, 3)
          outside.end(name, outcomes[place]!)
        }
        for (let round = 0; round < 5; round++) {
          yield* looked
          yield* TestClock.adjust("61 seconds")
        }
        yield* looked
        for (const [place, name] of names.entries()) {
          const deposit = yield* depositOf("TRON", name)
          if (deposit !== undefined) {
            const { isFinal, isReturned, state } = deposit
            const allowed = ended(deposit, stay[place]!)
            assert.include(allowed, state, JSON.stringify({ at, place, isFinal, isReturned, notices }))
            if (state === "CREDITED") totals.credited += amounts[place]!
          }
          const { state } = Option.getOrThrow(yield* (yield* Withdrawals).find(name))
          assert.include(["SETTLED", "FAILED"], state)
          if (state === "SETTLED") totals.paid += withdrawn - fee
          if (state === "SETTLED") totals.fees += fee
        }
      }
      // Every outcome must occur, or the test would be meaningless.
      assert.isAbove(Math.min(totals.credited, totals.paid), 0)
      yield* TestClock.adjust("5 seconds")
      yield* venue.settle
      const { read } = yield* ReadTables
      const entries = yield* Effect.all([
        read(LedgerEntries.balance(LedgerEntries.externalAccount("TRON"))),
        read(LedgerEntries.balance(LedgerEntries.inFlightAccount("TRON"))),
        read(LedgerEntries.balance(LedgerEntries.withdrawalFeeAccount))
      ])
      assert.deepStrictEqual(entries, [usd(totals.paid - totals.credited), 0n, usd(totals.fees)])
    }).pipe(Effect.provide(layerMemory), Effect.provideService(VenueSettings, fewMarkets))
)

const fewMarkets = { ...defaults, desks: 1, instruments: new Map([...defaults.instruments].slice(0, 1)) }

/** Final deposits are no longer checked. A reversed deposit stays reversed, even if the chain includes it again. */
const ended = ({ isFinal, isReturned }: Deposit, stays: boolean): ReadonlyArray<string> => {
  if (isReturned) return ["DROPPED", "REVERSED"]
  return stays || isFinal ? ["CREDITED", "REVERSED", ...(stays ? [] : ["DROPPED"])] : ["DROPPED", "REVERSED"]
}

/**
 * Checks after each pass of the rail's owner: only valid transitions, one payment number per withdrawal, and a
 * balance that matches the states.
 */
const kept = Effect.fnUntraced(function* (
  user: TestUser,
  names: ReadonlyArray<string>,
  numbers: ReadonlyMap<string, ReadonlySet<number>>
) {
  let expected = start
  for (const [place, name] of names.entries()) {
    const deposit = yield* depositOf("TRON", name)
    const came = (yield* (yield* Deposits).steps(`TRON/${name}/0`)).map(({ toState }) => toState)
    isPath(came, DepositSteps.transitions)
    if (deposit?.state === "CREDITED") expected += amounts[place]!
    const left = (yield* (yield* Withdrawals).steps(name)).map(({ toState }) => toState)
    isPath(left, WithdrawalSteps.transitions)
    if (left.at(-1) !== "FAILED") expected -= withdrawn
    for (const states of [came, left]) {
      for (const once of ["CREDITED", "REVERSED", "SETTLED", "FAILED"]) {
        assert.isAtMost(states.filter((state) => state === once).length, 1)
      }
    }
    assert.isAtMost(numbers.get(name)?.size ?? 0, 1)
  }
  const all = [...numbers.values()].flatMap((used) => [...used])
  assert.strictEqual(new Set(all).size, all.length)
  assert.strictEqual(yield* has(user), usd(expected))
})

const isPath = <State extends string>(
  states: ReadonlyArray<State>,
  transitions: ReadonlyArray<{ readonly from: State; readonly to: State }>
) => {
  for (const [at, to] of states.slice(1).entries()) {
    assert.isTrue(
      transitions.some((transition) => transition.from === states[at] && transition.to === to),
      states.join(" ")
    )
  }
}
