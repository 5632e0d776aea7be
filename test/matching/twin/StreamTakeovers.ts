/** Liquidations in a random stream. Their position and mark are read from the market when they are played. */
import type { AccountId } from "@venue/domain/AccountId"
import { type Instrument, valueDown } from "@venue/domain/Instrument"
import type { DecidedOn, Stand } from "@venue/domain/Liquidation"
import type { MarketCommand, TraderCommand } from "@venue/domain/Market"
import type { PositionState } from "@venue/domain/Position"
import * as Engine from "@venue/matching/Engine"
import { id } from "../../Id.ts"
import { type Chance, chanceOf } from "../Chance.ts"
import type { Step } from "./OperatorSteps.ts"

/**
 * Two of three streams contain liquidations and takeovers, mostly based on the true state and sometimes on a false
 * one. Desks respond correctly, stay silent, or respond falsely.
 */
export function liquidating(seed: number, instrument: Instrument, steps: ReadonlyArray<Step>): ReadonlyArray<Step> {
  if (seed % 3 === 2) return steps
  const chance = chanceOf(seed + 3_000_000)
  const { percent, pick, whole } = chance
  const often = pick(4, 12, 30)
  const known = new Map<AccountId, TraderCommand>()
  let openedMillis = Infinity
  return steps.flatMap((step, place): ReadonlyArray<Step> => {
    const { atMillis, command } = step
    if ("commandId" in command) known.set(command.accountId, command)
    const isDue = atMillis >= openedMillis + 500 || (openedMillis < Infinity && percent(10))
    if (isDue && percent(60)) {
      openedMillis = percent(70) ? Infinity : openedMillis
      const accounts = [...known.values()]
      const later = pick(0, 0, 500)
      const answered = { atMillis: atMillis + later, ...answering(chance, instrument, accounts) }
      return percent(60) ? [step, answered] : [step, { atMillis, ...moving(chance) }, answered]
    }
    if (known.size === 0 || !percent(often)) return [step]
    const { accountId, expiresAtMillis, traderEpoch, userId } = pick(...known.values())
    const envelope = { commandId: id(`liquidation ${place}`), expiresAtMillis, traderEpoch, userId, accountId }
    const lie = percent(10) ? pick(1, 2) : 0
    const seen = (engine: Engine.Engine): DecidedOn => {
      const { position } = Engine.view(engine, accountId)
      const markE8 = Engine.prices(engine)?.markE8 ?? 0
      return {
        position: lie === 1 ? { ...position, fees: position.fees + 1 } : position,
        markE8: lie === 2 ? markE8 + 1 : markE8
      }
    }
    if (percent(35)) {
      const [part, away] = [whole(1, 12), whole(-3, 40)]
      const terms = { takerRate: pick(100_000, 22_500), leverage: pick(1, 7) }
      const look = (engine: Engine.Engine): MarketCommand => {
        const decidedOn = seen(engine)
        const lots = decidedOn.position.quantityLots
        const quantityLots = Math.ceil((Math.abs(lots) * part) / 10)
        const markTicks = Math.round(decidedOn.markE8 / instrument.tickE8)
        const priceTicks = markTicks + (lots > 0 ? -away : away)
        return { _tag: "Liquidate", ...envelope, ...terms, decidedOn, quantityLots, priceTicks }
      }
      return [step, { atMillis, command: { _tag: "Liquidate", ...envelope, ...terms, ...nothingSeen, ...none }, look }]
    }
    openedMillis = Math.min(openedMillis, atMillis)
    const share = shareOf(chance)
    const look = (engine: Engine.Engine): MarketCommand => {
      const decidedOn = seen(engine)
      const value = valueDown(instrument, Math.abs(decidedOn.position.quantityLots), decidedOn.markE8)
      return {
        _tag: "OpenTakeover",
        ...envelope,
        decidedOn,
        share: share(value, Engine.totals(engine).reserveFund)
      }
    }
    return [step, { atMillis, command: { _tag: "OpenTakeover", ...envelope, ...nothingSeen, share: 0 }, look }]
  })
}

const flat: PositionState = { quantityLots: 0, cashFlow: 0, basis: 0, fees: 0, funding: 0, rewards: 0 }
const nothingSeen = { decidedOn: { position: flat, markE8: 0 } }
const none = { quantityLots: 0, priceTicks: 0 }

/** Returns a function that draws a part of the position's value, zero, or about the size of the reserve fund. */
function shareOf({ pick, whole }: Chance): (value: number, fund: number) => number {
  const part = pick(0, 0, 1, 3, 30, -1, -3, -5, -60) + whole(-5, 5) / 10
  const over = whole(-1, 1)
  return pick<(value: number, fund: number) => number>(
    (value) => Math.round((value * part) / 100),
    (value) => Math.round((value * part) / 100),
    (value) => Math.round((value * part) / 100),
    () => over,
    (_value, fund) => -fund + over
  )
}

/** Moves the mark while a takeover is open, by more or less than 25 basis points. */
function moving({ pick, whole }: Chance): Pick<Step, "command" | "look"> {
  const parts = 10_000 + pick(whole(-30, 30), whole(-30, 30), whole(-300, 300))
  const observe = (priceE8: number) => ({ _tag: "Observe", priceE8, teller: "operator" }) as const
  const look = (engine: Engine.Engine): MarketCommand =>
    observe(Math.round(((Engine.prices(engine)?.markE8 ?? 0) * parts) / 10_000))
  return { command: observe(0), look }
}

function answering(
  { percent, pick, whole }: Chance,
  { lotE8, tickE8 }: Instrument,
  accounts: ReadonlyArray<TraderCommand>
): Pick<Step, "command" | "look"> {
  const unit = Math.ceil(1e8 / lotE8)
  const answers = accounts
    .filter(() => percent(60))
    .map(({ accountId, userId }): Stand => {
      const provider = {
        freeMargin: pick(0, 1, 7, whole(1, 1e9), percent(10) ? NaN : 1e9),
        buysLots: pick(0, 1, unit, whole(0, 100 * unit), percent(10) ? 0.5 : unit),
        sellsLots: pick(0, 1, unit, whole(0, 100 * unit), percent(10) ? -1 : unit),
        leverage: pick(1, 3, 7)
      }
      return {
        userId,
        accountId,
        position: percent(10) ? { ...flat, quantityLots: 1 } : flat,
        ratioE6: whole(-1, 3),
        // Offset from the mark at the time of the command.
        markE8: pick(0, 0, whole(-50, 50)) * tickE8,
        mayLose: pick(0, 1, whole(0, 1e7), whole(0, 1e9), 1e12),
        provider: percent(40) ? provider : null
      }
    })
  const look = (engine: Engine.Engine): MarketCommand => ({
    _tag: "CloseTakeovers",
    stands: answers.map((answer) => ({
      ...answer,
      markE8: answer.markE8 + (Engine.prices(engine)?.markE8 ?? 0),
      position: answer.position === flat ? Engine.view(engine, answer.accountId).position : answer.position
    }))
  })
  return { command: { _tag: "CloseTakeovers", stands: [] }, look }
}
