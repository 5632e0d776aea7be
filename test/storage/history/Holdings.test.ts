/** Tests of positions by quarter hour. */
import { AccountId } from "@venue/domain/AccountId"
import { initialInstruments } from "@venue/domain/Instrument"
import type { MarketEvent } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { quarterHourMillis } from "@venue/domain/QuarterHour"
import { fundAccountId } from "@venue/domain/Split"
import { UserId } from "@venue/domain/UserId"
import * as Holdings from "@venue/storage/history/Holdings"
import * as Profits from "@venue/storage/history/Profits"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { traded } from "../../journal/EventsByHand.ts"
import { postgresLayer } from "../../Postgres.ts"
import * as Fold from "./AccountFold.ts"
import { priced } from "./ChartEvents.ts"

/** Each test has a separate market, so that all tests can share one database. */
const marketOf = (name: string) => ({ ...initialInstruments[0]!, symbol: MarketSymbol.make(`${name}-USD`) })

const first = 1_990_000
const began = first * quarterHourMillis

const suite = (name: string, readTables: Layer.Layer<ReadTables, unknown>) =>
  layer(readTables, { timeout: "2 minutes" })(name, (it) => {
    it.effect(
      "holdings at the start of a quarter hour include all earlier events, but no event of that quarter hour",
      () =>
        Effect.gen(function* () {
          const { project, read } = yield* ReadTables
          const instrument = marketOf("MOMENT")
          const { symbol } = instrument
          const at = (number: number, atMillis: number) => traded("moment", number, { atMillis, price: 1, quantity: 5 })
          const rows = [
            { seq: 1, events: [priced(began, 7, 0, 0), at(1, began)] },
            { seq: 2, events: [at(2, began + quarterHourMillis - 1)] },
            { seq: 3, events: [at(3, began + 2 * quarterHourMillis), priced(began + 3 * quarterHourMillis, 9, 0, 0)] }
          ]
          for (const row of rows) yield* project([Holdings.projection(instrument)], symbol, [row])
          const accountId = AccountId.make("moment-taker")
          const moments = { first, step: 1, count: 5 }
          const states = yield* read(Profits.at({ accountId, instruments: [instrument], moments }, 10_000))
          assert.deepStrictEqual(
            states.map(({ markE8, moment, quantityLots }) => [moment - first, quantityLots, markE8]),
            [
              [1, 10, 8],
              [2, 10, 8],
              [3, 15, 8],
              [4, 15, 10]
            ]
          )
        })
    )

    it.effect("updates the holdings of every account that funding, dividends, splits or rewards affect", () =>
      Effect.gen(function* () {
        const { project, read } = yield* ReadTables
        const instrument = marketOf("EVERYBODY")
        const { symbol } = instrument
        const owner = UserId.make("every-builder")
        const markE8 = 133_33333333
        const buy = (name: string, number: number, lots: number): MarketEvent => {
          const trade = traded(name, number, {
            atMillis: began,
            price: 20_001,
            quantity: lots,
            takerFee: 41,
            makerFee: -3
          })
          const maker = { ...trade.maker.order, accountId: AccountId.make("every-maker") }
          const reward = { ownerId: owner, amount: 17, remainder: 1 }
          return {
            ...trade,
            notional: 20_001 * lots * instrument.tickLotMicros,
            maker: { ...trade.maker, order: { ...maker, side: "SELL" } },
            taker: { ...trade.taker, order: { ...trade.taker.order, side: "BUY" }, reward }
          }
        }
        const later = began + 2 * quarterHourMillis
        const hour = { _tag: "Funded", markE8: 200_00000000, remainder: 0, fromMillis: 0, skipped: false } as const
        const events: ReadonlyArray<MarketEvent> = [
          buy("every-one", 1, 3),
          buy("every-two", 2, 3),
          { ...hour, rateE12: 123_456_789, atMillis: later },
          { _tag: "DividendPaid", exDay: 1, perUnitE8: 26_000_001, remainder: 0, atMillis: later },
          {
            _tag: "ContractSplit",
            exDay: 1,
            numerator: 3,
            denominator: 2,
            markE8,
            fundLots: 1,
            remainder: 0,
            atMillis: later
          },
          { ...hour, rateE12: -987_654_321, atMillis: later + quarterHourMillis }
        ]
        yield* Effect.forEach(events, (event, at) =>
          project([Holdings.projection(instrument)], symbol, [{ seq: at + 1, events: [event] }])
        )
        const moments = { first: first + 1, step: 1, count: 4 }
        const millis = [1, 2, 3, 4].map((quarters) => began + quarters * quarterHourMillis)
        const expected = Fold.heldAt(instrument, events, millis)
        const statesOf = Effect.fnUntraced(function* (name: string) {
          return yield* read(
            Profits.at({ accountId: AccountId.make(name), instruments: [instrument], moments }, 10_000)
          )
        })
        let lots = 0
        for (const name of ["every-maker", "every-one-taker", "every-two-taker", owner]) {
          const states = yield* statesOf(name)
          assert.deepStrictEqual(
            states.map(({ basis, cashFlow, fees, funding, quantityLots, rewards }) =>
              [quantityLots, cashFlow, basis, fees, funding, rewards].map(BigInt)
            ),
            expected.map((accounts) => {
              const { cash, cost, fees, funding, lots, rewards } = accounts.get(name)!
              return [lots, cash, cost, fees, funding, rewards]
            })
          )
          lots += states.at(-1)!.quantityLots
        }
        const fund = yield* statesOf(fundAccountId)
        assert.deepStrictEqual(
          fund.map(({ cashFlow, funding, moment, quantityLots }) => [moment - first, quantityLots, cashFlow, funding]),
          [
            [3, 1, -133_333, 133_333],
            [4, 1, -133_333, 133_333 + 197]
          ]
        )
        assert.strictEqual(lots + fund.at(-1)!.quantityLots, 0)
      })
    )
  })

suite("holdings in memory", ReadTables.layerMemory)
suite("holdings on Postgres", Layer.provide(ReadTables.layer, postgresLayer))
