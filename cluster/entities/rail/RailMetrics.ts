/** Metrics of a connected chain. */
import { decimalOfMoney } from "@venue/domain/Decimal"
import type { RailProvider } from "@venue/providers/rails/RailProvider"
import type { RailSight } from "@venue/providers/rails/RailSight"
import * as Money from "@venue/telemetry/catalogue/Money"
import * as Meter from "@venue/telemetry/Meter"
import { Effect } from "effect"

export const collect = Effect.fnUntraced(function* ({ rail, sight }: RailProvider) {
  if (sight === undefined) return
  const known = <Sample>(value: number | undefined, sample: (value: number) => Sample) =>
    value === undefined ? [] : [sample(value)]
  yield* Meter.collect(Money.railBlock, () => {
    const { newestBlock, readBlock } = sight()
    return [
      ...known(newestBlock, (number) => [{ rail, block: "newest" }, number] as const),
      ...known(readBlock, (number) => [{ rail, block: "read" }, number] as const)
    ]
  })
  yield* Meter.collect(Money.railEndpoints, () => {
    const { answering, failing } = sight()
    return [
      [{ rail, state: "answering" }, answering],
      [{ rail, state: "failing" }, failing]
    ]
  })
  const amount = (read: (seen: RailSight) => bigint | undefined, decimal: (value: bigint) => number) => () => {
    const value = read(sight())
    return value === undefined ? [] : [[{ rail }, decimal(value)] as const]
  }
  yield* Meter.collect(
    Money.hotMoney,
    amount(({ hotMoney }) => hotMoney, decimalOfMoney)
  )
  yield* Meter.collect(
    Money.hotGas,
    amount(
      ({ hotGas }) => hotGas,
      (wei) => Number(wei) / 1e18
    )
  )
})
