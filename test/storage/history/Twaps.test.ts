/** Tests of ended TWAPs, projected from market logs. */
import { AccountId } from "@venue/domain/AccountId"
import type { MarketEvent } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { type Twap, type TwapEnding, TwapId, unplaced } from "@venue/domain/Twap"
import { UserId } from "@venue/domain/UserId"
import type { CommittedRow } from "@venue/storage/history/Projection"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as Twaps from "@venue/storage/history/Twaps"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { postgresLayer } from "../../Postgres.ts"
import { id } from "../../Id.ts"

const tables = Effect.map(ReadTables, ({ project, read }) => ({
  project: (symbol: MarketSymbol, rows: ReadonlyArray<CommittedRow<MarketEvent>>) =>
    project([Twaps.projection], symbol, rows),
  page: (accountId: string, more: Partial<Twaps.TwapQuery> = {}) =>
    read(Twaps.page({ accountId: AccountId.make(accountId), limit: 10, offset: 0, ...more }))
}))

const atMillis = 1_790_503_301_400
const one = MarketSymbol.make("TWAP-USD")
const two = MarketSymbol.make("PAWT-USD")

const twapOf = (name: string, account: string, over: Partial<Twap> = {}): Twap => ({
  ...unplaced(
    {
      twapId: TwapId.make(id(name).text),
      userId: UserId.make("twap-user"),
      accountId: AccountId.make(account),
      clientTwapId: 'a "quoted" \u0000 one',
      side: "SELL",
      totalLots: 12_000,
      slices: 6,
      intervalMillis: 45_000,
      reduceOnly: true,
      worstTicks: 33_905,
      builderCode: "",
      startMillis: atMillis + 60_000,
      createdAtMillis: atMillis
    },
    atMillis
  ),
  ...over
})
const closed = (twap: Twap, ending: TwapEnding, after: number): MarketEvent => ({
  _tag: "TwapClosed",
  commandId: null,
  twap,
  ending,
  atMillis: atMillis + after
})

const suite = (name: string, readTables: Layer.Layer<ReadTables, unknown>) =>
  layer(readTables, { timeout: "2 minutes" })(name, (it) => {
    it.effect("lists a TWAP with its data only after the TWAP has ended", () =>
      Effect.gen(function* () {
        const { page, project } = yield* tables
        const twap = twapOf("whole", "twap-whole", { filledLots: 2_000, filledValue: 6_819_500_000, filledSlices: 1 })
        yield* project(one, [
          { seq: 1, events: [{ _tag: "TwapAdvanced", twap, atMillis }] },
          { seq: 2, events: [] }
        ])
        assert.deepStrictEqual(yield* page("twap-whole"), [])
        const rows = [{ seq: 3, events: [closed(twap, "MARGIN", 5)] }]
        yield* project(one, rows)
        yield* project(one, rows)
        const [listedTwap] = yield* page("twap-whole")
        assert.deepInclude(listedTwap, {
          twapId: twap.twapId,
          status: "CANCELLED",
          ending: "MARGIN",
          symbol: one,
          side: "SELL",
          totalQuantity: 12_000,
          filledQuantity: 2_000,
          filledValue: 6_819_500_000,
          slices: 6,
          filledSlices: 1,
          intervalMillis: 45_000,
          reduceOnly: true,
          worstPrice: 33_905,
          startAtMillis: atMillis + 60_000,
          createdAtMillis: atMillis,
          endedAtMillis: atMillis + 5
        })
        assert.match(listedTwap!.clientTwapId, /^a "quoted" /)
      })
    )

    it.effect("lists an account's TWAPs newest first, for one symbol or all, page by page", () =>
      Effect.gen(function* () {
        const { page, project } = yield* tables
        const [a, b, c] = ["a", "b", "c"].map((name) => twapOf(name, "twap-lists"))
        yield* project(two, [
          { seq: 1, events: [closed(a!, "COMPLETED", 1), closed(twapOf("other", "twap-other"), "REQUEST", 2)] },
          { seq: 2, events: [closed(b!, "REDUCED", 3), closed(c!, "REQUEST", 2)] }
        ])
        const listed = Effect.fnUntraced(function* (more: Partial<Twaps.TwapQuery> = {}) {
          return (yield* page("twap-lists", more)).map(({ status, twapId }) => [twapId, status])
        })
        const all = [
          [b!.twapId, "COMPLETED"],
          [c!.twapId, "CANCELLED"],
          [a!.twapId, "COMPLETED"]
        ]
        assert.deepStrictEqual(yield* listed(), all)
        assert.deepStrictEqual(yield* listed({ symbol: two }), all)
        assert.deepStrictEqual(yield* listed({ symbol: one }), [])
        assert.deepStrictEqual(yield* listed({ limit: 1, offset: 1 }), all.slice(1, 2))
      })
    )

    it.effect("if a TWAP is closed twice, keeps the row of the first close", () =>
      Effect.gen(function* () {
        const { page, project } = yield* tables
        const symbol = MarketSymbol.make("TWICE-USD")
        const twap = twapOf("twice", "twap-twice")
        const filled = { ...twap, filledLots: 7 }
        yield* project(symbol, [{ seq: 1, events: [closed(filled, "SPLIT", 1)] }])
        yield* project(symbol, [{ seq: 2, events: [closed(twap, "SPLIT", 9), closed(twap, "SPLIT", 9)] }])
        assert.deepStrictEqual(
          (yield* page("twap-twice")).map(({ endedAtMillis, filledQuantity }) => [endedAtMillis, filledQuantity]),
          [[atMillis + 1, 7]]
        )
      })
    )
  })

suite("Twaps in memory", ReadTables.layerMemory)
suite("Twaps on Postgres", Layer.provide(ReadTables.layer, postgresLayer))
