/** Commands of the venue itself in some markets of the streams. */
import type { MarketCommand } from "@venue/domain/Market"
import { UserId } from "@venue/domain/UserId"
import type { Engine } from "@venue/matching/Engine"

export interface Step {
  readonly atMillis: number
  readonly command: MarketCommand
  /** Builds the command from the state of the market when it is played. */
  readonly look?: (engine: Engine) => MarketCommand
}

/** Two of three markets learn in their first half who owns the code on orders: a trader or a stranger. */
export function introducing(seed: number, steps: ReadonlyArray<Step>): ReadonlyArray<Step> {
  if (seed % 3 === 0) return steps
  const at = seed % (steps.length >> 1)
  const venueBps = 5_000 + ((seed * 1_237) % 5_001)
  const builderBps = (seed * 911) % (10_001 - venueBps)
  const ownerId = UserId.make(seed % 2 === 0 ? "ann" : "zoe")
  const command = { _tag: "IntroduceBuilder", builderCode: "code", ownerId, venueBps, builderBps } as const
  return steps.toSpliced(at, 0, { atMillis: steps[at]!.atMillis, command })
}

/** One of three markets is split at two thirds of its stream; half of these have a fund for odd lots. */
export function splitting(seed: number, steps: ReadonlyArray<Step>): ReadonlyArray<Step> {
  if (seed % 3 !== 1) return steps
  const place = Math.floor((steps.length * 2) / 3)
  const { atMillis } = steps[place]!
  const [numerator, denominator] = ratios[seed % ratios.length]!
  const split = { _tag: "SplitContract", exDay: 30, numerator, denominator } as const
  const asked: ReadonlyArray<MarketCommand> = [
    ...(seed % 2 === 0 ? [{ _tag: "TopUpFund", topUpId: "fund", amount: 10 ** 9, reason: "odd lots" } as const] : []),
    split,
    { _tag: "SetTradingState", state: "HALTED" },
    split,
    split,
    { _tag: "SetTradingState", state: "TRADING" },
    { _tag: "SetLimits", minQuantityLots: 3, maxQuantityLots: 1e6, positionUsd: 10_000, openInterestUsd: 2_000_000 }
  ]
  return steps.toSpliced(place, 0, ...asked.map((command) => ({ atMillis, command })))
}

const ratios = [
  [4, 1],
  [3, 2],
  [2, 3],
  [7, 5],
  [99, 100],
  [1, 7]
] as const

/** Of months, one in four has a split and another one the end of its contract. */
export const doesSplit = (seed: number): boolean => seed % 4 === 0

/** The contracts of one in four markets end. */
export const doesEnd = (seed: number): boolean => seed % 4 === 1

/** The market is halted at the end and its contract settled; later commands come too late. */
export function ending(seed: number, steps: ReadonlyArray<Step>): ReadonlyArray<Step> {
  if (!doesEnd(seed)) return steps
  const at = (command: MarketCommand, later: number) => ({ atMillis: steps.at(-1)!.atMillis + later, command })
  const state = seed % 8 === 1 ? "HALTED" : "CANCEL_ONLY"
  return [
    ...steps,
    at({ _tag: "Delist" }, 0),
    at({ _tag: "SetTradingState", state }, 5_000),
    at({ _tag: "Observe", priceE8: 150_00000000, teller: "operator" }, 5_500),
    at({ _tag: "Delist" }, 8_000),
    at({ _tag: "SetTradingState", state: "TRADING" }, 8_000),
    at({ _tag: "PayDividend", exDay: 99, perUnitE8: 1 }, 8_000),
    at({ _tag: "Observe", priceE8: 190_00000000, teller: "operator" }, 8_500),
    at({ _tag: "Tick" }, 9_000),
    ...steps.slice(-12).map(({ command }) => at(command, 9_500))
  ]
}
