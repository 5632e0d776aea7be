/** Commands from the venue itself, added to some streams. */
import type { MarketCommand } from "@venue/domain/Market"
import { UserId } from "@venue/domain/UserId"
import type { Engine } from "@venue/matching/Engine"

export interface Step {
  readonly atMillis: number
  readonly command: MarketCommand
  /** Builds the command from the state of the market when it is played. */
  readonly look?: (engine: Engine) => MarketCommand
}

/**
 * In two of three markets, the owner of the orders' builder code is registered during the first half of the stream.
 * The owner is a trader or another user.
 */
export function introducing(seed: number, steps: ReadonlyArray<Step>): ReadonlyArray<Step> {
  if (seed % 3 === 0) return steps
  const at = seed % (steps.length >> 1)
  const venueBps = 5_000 + ((seed * 1_237) % 5_001)
  const builderBps = (seed * 911) % (10_001 - venueBps)
  const ownerId = UserId.make(seed % 2 === 0 ? "ann" : "zoe")
  const command = { _tag: "IntroduceBuilder", builderCode: "code", ownerId, venueBps, builderBps } as const
  return steps.toSpliced(at, 0, { atMillis: steps[at]!.atMillis, command })
}

/**
 * One of three markets is split after two thirds of its stream. Half of these have a reserve fund that can buy odd
 * lots.
 */
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

export const doesSplit = (seed: number): boolean => seed % 4 === 0

export const doesEnd = (seed: number): boolean => seed % 4 === 1

/** Halts the market at the end of the stream and settles its contract. Later commands are then refused. */
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
