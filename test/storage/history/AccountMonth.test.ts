/** Tests of profit, equity and volumes: one month in three markets must match the journals to the last digit. */
import { dayOf } from "@venue/domain/Day"
import type { MarketEvent } from "@venue/domain/Market"
import { quarterHourMillis } from "@venue/domain/QuarterHour"
import * as DailyVolumes from "@venue/storage/history/DailyVolumes"
import * as Holdings from "@venue/storage/history/Holdings"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import * as Moments from "@venue/storage/history/Moments"
import * as Profits from "@venue/storage/history/Profits"
import type { CommittedRow } from "@venue/storage/history/Projection"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Month from "../../ledger/Month.ts"
import { play } from "../../ledger/MonthPlay.ts"
import { type Chance, chanceOf } from "../../matching/Chance.ts"
import { postgresLayer } from "../../Postgres.ts"
import { turns } from "../../cluster/Neighbours.ts"
import * as Fold from "./AccountFold.ts"

const played = (seed: number): Month.Month => {
  const month = Month.make(seed)
  play(month, () => {})
  return month
}

/** Splits a log into rows and batches of random size. */
const batchesOf = <Event>(
  chance: Chance,
  log: ReadonlyArray<Event>
): ReadonlyArray<ReadonlyArray<CommittedRow<Event>>> => {
  const batches: Array<ReadonlyArray<CommittedRow<Event>>> = []
  let [seq, at] = [0, 0]
  while (at < log.length) {
    const rows: Array<CommittedRow<Event>> = []
    for (let row = chance.whole(1, 20); row > 0 && at < log.length; row--) {
      const events = log.slice(at, at + chance.whole(1, 30))
      at += events.length
      rows.push({ seq: ++seq, events })
    }
    batches.push(rows)
  }
  return batches
}

/**
 * Projects with concurrent writers that crash during writes. After a crash, the next owner continues from the tables.
 */
const projected = Effect.fnUntraced(function* (
  chance: Chance,
  { log, stream: { instrument }, symbol }: Month.MonthMarket
) {
  const { position, project } = yield* ReadTables
  const groups = [DailyVolumes.projection, Holdings.projection(instrument)]
  const batches = batchesOf(chance, log)
  const rows = batches.flat()
  const write = (batch: ReadonlyArray<CommittedRow<MarketEvent>>) => project(groups, symbol, batch)
  for (const batch of batches) {
    const fate = chance.pick("written", "written", "written", "by two", "dead")
    if (fate === "by two") {
      yield* Effect.all([write(batch), write(batch)], { concurrency: "unbounded" })
    } else if (fate === "dead") {
      yield* Effect.raceFirst(write(batch), Effect.repeat(turns, { times: chance.whole(0, 2) }))
      const last = batch.at(-1)!.seq
      for (const group of groups) {
        const seq = yield* position(group, symbol)
        if (seq < last) yield* project([group], symbol, rows.slice(seq, last))
      }
    } else yield* write(batch)
  }
})

const assertMonth = Effect.fnUntraced(function* (month: Month.Month) {
  const { read } = yield* ReadTables
  const instruments = [...month.instruments.values()]
  const ends = month.markets.flatMap(({ log }) => [log[0]!.atMillis, log.at(-1)!.atMillis])
  const [began, ended] = [Math.min(...ends), Math.max(...ends)]
  const first = Math.floor(began / quarterHourMillis) - 4
  const step = month.chance.pick(7, 16, 48)
  const moments = { first, step, count: Math.ceil((ended / quarterHourMillis - first) / step) + 1 }
  const millis = Moments.all(moments).map((moment) => moment * quarterHourMillis)
  const held = month.markets.map(({ log, stream }) => Fold.heldAt(stream.instrument, log, millis))
  const volumes = month.markets.map(({ log }) => Fold.volumes(log))
  let seen = 0

  for (const [userId, { journal, trader }] of month.traders) {
    const cash = millis.map((moment) => Fold.cashBefore(journal, moment))
    for (const accountId of trader.accounts.keys()) {
      const profitQuery = { accountId, instruments, moments }
      const states = millis.map((_, at) =>
        month.markets.map(({ stream }, market) => [stream.instrument, held[market]![at]!.get(accountId)] as const)
      )
      const sums = yield* read(Profits.summed(profitQuery))
      const own = yield* read(LedgerEntries.cashAt(accountId, moments))
      millis.forEach((_, at) => {
        let [profit, rewards] = [0n, 0n]
        for (const [instrument, state] of states[at]!) {
          if (state === undefined) continue
          profit += state.cash + Fold.valueOf(instrument, state) - state.fees + state.funding
          rewards += state.rewards
        }
        assert.deepStrictEqual(sums[at], { moment: first + at * step, profit, rewards })
        assert.strictEqual(own[at]!.amount, cash[at]!.get(accountId) ?? 0n)
        assert.strictEqual(own[at]!.deposited, own[at]!.amount)
        if (profit !== 0n) seen++
      })
      const tableStates = yield* read(Profits.at(profitQuery, 10_000))
      const moment = tableStates[Math.ceil(tableStates.length / 2)]?.moment ?? 0
      const newest = tableStates.filter((state) => state.moment > moment)
      assert.deepStrictEqual(yield* read(Profits.at(profitQuery, newest.length)), newest)
      const expected = millis.flatMap((_, at) =>
        states[at]!.toSorted(([a], [b]) => (a.symbol < b.symbol ? -1 : 1)).flatMap(([{ symbol }, state]) =>
          state === undefined
            ? []
            : [
                {
                  moment: first + at * step,
                  symbol,
                  quantityLots: Number(state.lots),
                  cashFlow: Number(state.cash),
                  basis: Number(state.cost),
                  fees: Number(state.fees),
                  funding: Number(state.funding),
                  rewards: Number(state.rewards),
                  markE8: state.mark === undefined ? null : Number(state.mark)
                }
              ]
        )
      )
      assert.deepStrictEqual(tableStates, expected)

      const days = { fromDay: dayOf(began), beforeDay: dayOf(ended) + 1 }
      for (const [at, { symbol }] of month.markets.entries()) {
        const traded = yield* read(DailyVolumes.ofAccount({ userId, accountId, symbols: [symbol], ...days }))
        const ofAccount = [...volumes[at]!].filter(([of]) => of.startsWith(`${accountId} `))
        assert.deepStrictEqual(
          traded.map(({ day, maker, taker }) => [`${accountId} ${day}`, [maker, taker] as const]),
          ofAccount
        )
      }
    }
  }
  assert.isAbove(seen, 100)
})

const suite = (name: string, readTables: Layer.Layer<ReadTables, unknown>, seeds: ReadonlyArray<number>) =>
  layer(readTables, { timeout: "60 seconds" })(name, (it) => {
    for (const seed of seeds) {
      it.effect(
        `I56: projects month ${seed} exactly as in its journals, despite crashes during writes`,
        () =>
          Effect.gen(function* () {
            const { project } = yield* ReadTables
            const month = played(seed)
            const chance = chanceOf(seed)
            for (const market of month.markets) yield* projected(chance, market)
            for (const [userId, { journal }] of month.traders) {
              for (const rows of batchesOf(chance, journal)) yield* project([LedgerEntries.projection], userId, rows)
            }
            yield* assertMonth(month)
          }),
        900_000
      )
    }
  })

suite("in memory", ReadTables.layerMemory, [1])
suite("on Postgres", Layer.provide(ReadTables.layer, postgresLayer), [2])
