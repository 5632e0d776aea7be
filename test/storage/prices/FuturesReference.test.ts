/** Tests of settlements, futures calendars and holidays, in memory and on Postgres. */
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { FuturesReference } from "@venue/storage/prices/FuturesReference"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { postgresLayer } from "../../Postgres.ts"

const us500 = MarketSymbol.make("US500-USD")
const us100 = MarketSymbol.make("US100-USD")
const cl = MarketSymbol.make("CL-USD")
const copper = MarketSymbol.make("COPPER-USD")
const natgas = MarketSymbol.make("NATGAS-USD")

const at = (time: string) => Date.parse(time)
const future = (futureSymbol: string, until: string) => ({
  futureSymbol,
  activeUntilMillis: at(until),
  expirationMillis: at(until) + 1_000
})
const calendarOf = (symbol: MarketSymbol) =>
  Effect.map(
    Effect.flatMap(FuturesReference, ({ calendar }) => calendar(symbol)),
    (entries) =>
      entries.map(({ activeFromMillis, activeUntilMillis, futureSymbol }) =>
        [futureSymbol, ...[activeFromMillis, activeUntilMillis].map((millis) => new Date(millis).toISOString())].join(
          " "
        )
      )
  )
const activeAt = (symbol: MarketSymbol, atMillis: number) =>
  Effect.map(
    Effect.flatMap(FuturesReference, (reference) => reference.activeAt(symbol, atMillis)),
    (entries) => Option.getOrUndefined(Option.map(entries, ({ futureSymbol }) => futureSymbol))
  )

const suite = (name: string, services: Layer.Layer<FuturesReference, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect(
      "returns each symbol's newest settlement, and replaces a settlement that is recorded again for the same day",
      () =>
        Effect.gen(function* () {
          const reference = yield* FuturesReference
          assert.deepStrictEqual(yield* reference.latest, [])
          const of = (symbol: MarketSymbol, day: string, officialCloseE8: number) => ({
            symbol,
            day,
            officialCloseE8,
            settlementE8: 2_108_000_000_000,
            futureSymbol: null
          })
          yield* reference.record(of(us500, "2026-11-20", 1))
          yield* reference.record(of(us100, "2026-11-20", 2))
          yield* reference.record(of(us100, "2026-11-19", 3))
          yield* reference.record(of(us500, "2026-11-20", 4))
          const latest = yield* reference.latest
          assert.deepStrictEqual(latest, [
            { ...of(us100, "2026-11-20", 2), recordedAtMillis: 0 },
            { ...of(us500, "2026-11-20", 4), recordedAtMillis: 0 }
          ])
        })
    )

    it.effect("rule 3.10: a future is in use from the previous future's end until its own last instant", () =>
      Effect.gen(function* () {
        const { activeAt: find, setCalendar } = yield* FuturesReference
        const [from, first, last] = [
          "2026-09-15T21:30:00Z",
          "2026-10-13T21:30:00Z",
          "2026-11-12T21:30:00.250Z"
        ] as const
        yield* setCalendar(copper, at(from), [future("HGX6", first), future("HGZ6", last)])
        assert.deepStrictEqual(
          yield* find(copper, at(first)),
          Option.some({
            symbol: copper,
            futureSymbol: "HGX6",
            activeFromMillis: at(from),
            activeUntilMillis: at(first),
            expirationMillis: at(first) + 1_000,
            recordedAtMillis: 0
          })
        )
        const times = [at(from) - 1, at(from), at(first), at(first) + 1, at(last), at(last) + 1]
        const entries = yield* Effect.forEach(times, (atMillis) => activeAt(copper, atMillis))
        assert.deepStrictEqual(entries, [undefined, "HGX6", "HGX6", "HGZ6", "HGZ6", undefined])
        assert.isUndefined(yield* activeAt(us500, at(first)))
        // Includes times outside four-digit years.
        for (const odd of [
          at("0000-01-01T00:00:00Z"),
          at("0000-01-01T00:00:00+14:00"),
          at("9999-12-31T23:59:59-14:00")
        ])
          assert.isUndefined(yield* activeAt(copper, odd))
      })
    )

    it.effect(
      "rule 3.10: new calendar entries replace later entries, and end the future in use where the new ones begin",
      () =>
        Effect.gen(function* () {
          const { setCalendar } = yield* FuturesReference
          const day = (text: string) => `2026-${text}T00:00:00.000Z`
          yield* setCalendar(natgas, at(day("01-01")), [
            future("NGG6", day("02-01")),
            future("NGH6", day("03-01")),
            future("NGJ6", day("04-01"))
          ])
          yield* setCalendar(natgas, at(day("02-15")), [future("NGK6", day("05-01"))])
          assert.deepStrictEqual(yield* calendarOf(natgas), [
            `NGK6 ${day("02-15")} ${day("05-01")}`,
            `NGH6 ${day("02-01")} ${day("02-15")}`,
            `NGG6 ${day("01-01")} ${day("02-01")}`
          ])
          // Continues at the calendar's end.
          yield* setCalendar(natgas, at(day("05-01")), [future("NGM6", day("06-01"))])
          assert.strictEqual((yield* calendarOf(natgas)).length, 4)
          assert.strictEqual(yield* activeAt(natgas, at(day("05-01"))), "NGK6")
          yield* setCalendar(natgas, at(day("02-01")), [])
          assert.deepStrictEqual(yield* calendarOf(natgas), [`NGG6 ${day("01-01")} ${day("02-01")}`])
        })
    )

    it.effect("if two calendars are set concurrently, keeps exactly one of them", () =>
      Effect.gen(function* () {
        const { setCalendar } = yield* FuturesReference
        const symbol = MarketSymbol.make("RACE-USD")
        const set = (name: string, days: ReadonlyArray<string>) =>
          setCalendar(
            symbol,
            0,
            days.map((day) => future(`${name}${day}`, `2026-01-${day}T00:00:00Z`))
          )
        yield* Effect.all([set("A", ["01", "02"]), set("B", ["01", "02", "03"])], { concurrency: 2 })
        const names = (yield* calendarOf(symbol)).map((line) => line[0])
        assert.include(["AA", "BBB"], names.join(""))
      })
    )

    it.effect("lists only the last hundred futures of a calendar", () =>
      Effect.gen(function* () {
        const { setCalendar } = yield* FuturesReference
        const symbol = MarketSymbol.make("LONG-USD")
        const futures = (from: number) =>
          Array.from({ length: 60 }, (_, index) => future(`F${from + index}`, new Date(from + index + 1).toISOString()))
        yield* setCalendar(symbol, 0, futures(0))
        yield* setCalendar(symbol, 60, futures(60))
        const names = (yield* calendarOf(symbol)).map((line) => line.split(" ")[0])
        assert.deepStrictEqual([names.length, names[0], names.at(-1)], [100, "F119", "F20"])
      })
    )

    it.effect(
      "assigns a settlement to the named future, or by default to the future in use at the end of the day",
      () =>
        Effect.gen(function* () {
          const reference = yield* FuturesReference
          const { record, setCalendar, settlements } = reference
          const of = (symbol: MarketSymbol, day: string, futureSymbol: string | null = null) =>
            record({ symbol, day, officialCloseE8: 7_105_000_000, settlementE8: 7_132_000_000, futureSymbol })
          const list = (query: Partial<Parameters<typeof settlements>[0]> = {}) =>
            Effect.map(
              settlements({ symbol: cl, startDay: undefined, endDay: undefined, limit: 100, ...query }),
              (rows) => rows.map(({ day, futureSymbol }) => `${day.slice(5)} ${futureSymbol}`)
            )
          for (const day of ["10-12", "10-13", "10-14", "10-15"]) yield* of(cl, `2026-${day}`)
          assert.deepStrictEqual(yield* list(), [])
          const unnamed = (yield* reference.latest).find(({ symbol }) => symbol === cl)
          assert.deepStrictEqual([unnamed?.day, unnamed?.futureSymbol], ["2026-10-15", null])
          yield* setCalendar(cl, at("2026-10-13T00:00:00Z"), [
            future("CLX6", "2026-10-13T21:30:00Z"),
            future("CLZ6", "2026-10-15T00:00:00Z")
          ])
          // The 12th ends when CLX6 begins, and the 14th when CLZ6 ends; no future covers the 15th.
          assert.deepStrictEqual(yield* list(), ["10-14 CLZ6", "10-13 CLZ6", "10-12 CLX6"])
          yield* of(cl, "2026-10-15", "CLF7")
          yield* of(cl, "2026-10-13", "CLX6")
          assert.deepStrictEqual(yield* list(), ["10-15 CLF7", "10-14 CLZ6", "10-13 CLX6", "10-12 CLX6"])
          assert.strictEqual((yield* reference.latest).find(({ symbol }) => symbol === cl)?.futureSymbol, "CLF7")
          // Lists from the first given day on, and only days before the second.
          assert.deepStrictEqual(yield* list({ startDay: "2026-10-13", endDay: "2026-10-15" }), [
            "10-14 CLZ6",
            "10-13 CLX6"
          ])
          assert.deepStrictEqual(yield* list({ limit: 1 }), ["10-15 CLF7"])
          assert.deepStrictEqual(yield* list({ startDay: "2026-10-16" }), [])
          yield* of(us500, "2026-10-15", "ESZ6")
          const { length } = yield* list({ symbol: undefined, startDay: "2026-10-15" })
          assert.strictEqual(length, 2)
          const both = yield* settlements({ symbol: undefined, startDay: "2026-10-15", endDay: "2026-10-16", limit: 9 })
          assert.deepStrictEqual(
            both.map(({ symbol }) => symbol),
            [cl, us500]
          )
          const [one] = both
          assert.deepStrictEqual(one, {
            symbol: cl,
            day: "2026-10-15",
            officialCloseE8: 7_105_000_000,
            settlementE8: 7_132_000_000,
            futureSymbol: "CLF7",
            recordedAtMillis: one?.recordedAtMillis
          })
        })
    )

    it.effect("replaces one year's holidays, and keeps those of other years", () =>
      Effect.gen(function* () {
        const reference = yield* FuturesReference
        yield* reference.setHolidays("2026", ["2026-12-25", "2026-11-26", "2026-11-26"])
        yield* reference.setHolidays("2027", ["2027-01-01"])
        assert.deepStrictEqual(yield* reference.holidays, ["2026-11-26", "2026-12-25", "2027-01-01"])
        yield* reference.setHolidays("2026", ["2026-12-25"])
        assert.deepStrictEqual(yield* reference.holidays, ["2026-12-25", "2027-01-01"])
        yield* reference.setHolidays("2026", [])
        assert.deepStrictEqual(yield* reference.holidays, ["2027-01-01"])
      })
    )
  })

suite("the futures reference in memory", FuturesReference.layerMemory)
suite("the futures reference on Postgres", Layer.provide(FuturesReference.layer, postgresLayer))
