/**
 * Plays a stream on the engine, or on the engine and its twin (a slow reference implementation) side by side.
 * Describes differences as plain lines.
 */
import { AccountId } from "@venue/domain/AccountId"
import type { Id } from "@venue/domain/Id"
import type { Fill, MarketCommand, MarketEvent, Priced } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import type { Twap } from "@venue/domain/Twap"
import * as Engine from "@venue/matching/Engine"
import type { Step } from "./OperatorSteps.ts"
import { accountsIn, isTraderCommand, make as makeStream, type Pace, type Stream } from "./Streams.ts"
import { shrink } from "./StreamChanges.ts"
import * as Twin from "./Twin.ts"
import * as TwinState from "./TwinState.ts"
import * as TwinStops from "./TwinStops.ts"

export const emptyEngine = ({ instrument, maxOpenOrders }: Stream): Engine.Engine =>
  Engine.make(instrument, { maxOpenOrders })

/** Returns a step with its command built from the current state. */
const looked = (engine: Engine.Engine, { atMillis, command, look }: Step): Step => ({
  atMillis,
  command: look?.(engine) ?? command
})

export const decide = (engine: Engine.Engine, step: Step): ReadonlyArray<MarketEvent> => {
  const { atMillis, command } = looked(engine, step)
  const events: Array<MarketEvent> = []
  Engine.decide(engine, command, atMillis, events)
  return events
}

/** Plays streams 1, 2, 3 … and passes the events of each step to the function that `start` returned. */
export const play = (
  streams: number,
  start: (
    engine: Engine.Engine,
    stream: Stream
  ) => (events: ReadonlyArray<MarketEvent>, command: MarketCommand) => void,
  pace?: Pace
): void => {
  for (let seed = 1; seed <= streams; seed++) {
    const stream = makeStream(seed, undefined, pace)
    const engine = emptyEngine(stream)
    const seen = start(engine, stream)
    for (const step of stream.steps) seen(decide(engine, step), step.command)
  }
}

/** Compares engine and twin on a stream. If they differ, fails with the smallest stream on which they still differ. */
export const assertAlike = (stream: Stream): void => {
  if (difference(stream) === undefined) return
  const smallest = shrink(stream, (smaller) => difference(smaller) !== undefined)
  throw new Error(difference(smallest))
}

/** Returns the first difference between engine and twin, with everything before it. */
export const difference = (stream: Stream): string | undefined => {
  const engine = emptyEngine(stream)
  const twin = TwinState.make(stream.instrument, stream)
  const told: Array<string> = []
  const report = (got: ReadonlyArray<string>, expected: ReadonlyArray<string>) =>
    [
      `stream ${stream.seed}, ${stream.instrument.symbol}, cap ${stream.maxOpenOrders}`,
      ...told,
      "the twin says:",
      ...expected.map((line) => `    ${line}`),
      "the engine says:",
      ...got.map((line) => `    ${line}`)
    ].join("\n")

  for (const each of stream.steps) {
    const step = looked(engine, each)
    told.push(`> ${step.atMillis} ${JSON.stringify(step.command)}`)
    const expected: Array<string> = []
    let got: ReadonlyArray<string>
    try {
      const events = decide(engine, step)
      obey(twin, step, events, expected)
      for (const priced of events.filter(isPriced)) {
        told.push(
          `    mark ${priced.markE8} band ${priced.lowerTicks}-${priced.upperTicks} share ${priced.limitShareBps}`
        )
      }
      got = linesOf(events)
    } catch (thrown) {
      return report([thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)], expected)
    }
    if (got.join("\n") !== expected.join("\n")) return report(got, expected)
    for (const each of expected) told.push(`    ${each}`)
  }
  const got = stateOfEngine(engine, stream)
  const expected = stateOfTwin(twin, stream)
  if (got.join("\n") !== expected.join("\n")) return report(got, expected)
}

/** Applies the engine's step to the twin and appends the twin's lines. */
export const obey = (
  twin: TwinState.Twin,
  { atMillis, command }: Step,
  events: ReadonlyArray<MarketEvent>,
  expected: Array<string>
): void => {
  const isOfTime = ({ _tag }: MarketEvent): boolean =>
    _tag === "Sampled" || _tag === "Funded" || _tag === "HoldersCounted"
  const emit = (event: MarketEvent) => expected.push(line(event))
  Twin.pass(twin, atMillis, emit)
  // The twin uses the engine's marks. Marks before the command's events apply to the command, and later marks apply
  // to the next command.
  const first = events.findIndex((event) => !isPriced(event) && !isOfTime(event))
  const before = (first === -1 ? events : events.slice(0, first)).filter(isPriced)
  const after = (first === -1 ? [] : events.slice(first)).filter(isPriced)
  for (const priced of before) Twin.price(twin, priced)
  Twin.handle(twin, command, atMillis, emit)
  for (const priced of after) Twin.price(twin, priced)
}

/** Returns the engine's events that the twin must reproduce. */
export const linesOf = (events: ReadonlyArray<MarketEvent>): ReadonlyArray<string> =>
  events.filter((event) => !isPriced(event)).map(line)

const isPriced = (event: MarketEvent): event is Priced => event._tag === "Priced"

/** Formats an event in one line, without trade ids and the echo of a refusal. */
export const line = (event: MarketEvent): string => {
  const at = `at ${event.atMillis}`
  switch (event._tag) {
    case "Accepted":
      return `Accepted ${event.commandId} ${order(event.order)} maker rate ${event.makerRate} leverage ${event.leverage} until ${event.expiresAtMillis} ${at}`
    case "Refused":
      return `Refused ${event.commandId} ${event.status} "${event.echo.clientOrderId}" of ${event.accountId} until ${event.expiresAtMillis} ${at}`
    case "Traded": {
      const { maker, notional, priceTicks, quantityLots, taker } = event
      const fills = [maker, taker].map(
        (fill) =>
          `${order(fill.order)} fee ${fill.fee} realised ${fill.realised + 0} margin ${fill.marginUsed} ${reward(fill)}`
      )
      return `Traded ${quantityLots} @ ${priceTicks} = ${notional}, maker ${fills[0]}, taker ${fills[1]} ${at}`
    }
    case "Ended":
      return `Ended ${event.status} by "${event.commandId}" ${order(event.order)} ${at}`
    case "Modified":
      return `Modified by "${event.commandId}" requeued ${event.requeued} ${order(event.order)} ${at}`
    case "Done":
      return `Done ${event.commandId} of ${event.accountId} until ${event.expiresAtMillis} ${at}`
    case "StopPlaced":
      return `StopPlaced by "${event.commandId}" ${order(event.order)} taker rate ${event.takerRate} leverage ${event.leverage} of "${event.parentId}" until ${event.expiresAtMillis} ${at}`
    case "Triggered":
      return `Triggered ${event.stopType} ${order(event.order)} ${at}`
    case "TwapOpened":
      return `TwapOpened ${event.commandId} ${twap(event.twap)} until ${event.expiresAtMillis} ${at}`
    case "TwapAdvanced":
      return `TwapAdvanced ${twap(event.twap)} ${at}`
    case "TwapClosed":
      return `TwapClosed ${event.ending} by "${event.commandId}" ${twap(event.twap)} ${at}`
    case "EpochRaised":
      return `EpochRaised ${event.userId} ${event.traderEpoch} ${at}`
    case "DividendPaid":
      return `DividendPaid ${event.perUnitE8} for ${event.exDay} rest ${event.remainder} ${at}`
    case "FundToppedUp":
      return `FundToppedUp ${event.topUpId} by ${event.amount} ${at}`
    case "BuilderIntroduced":
      return `BuilderIntroduced ${event.builderCode} of ${event.ownerId} ${event.venueBps} ${event.builderBps} ${at}`
    case "TradingStateChanged":
      return `TradingStateChanged ${event.state} ${at}`
    case "TakeoverOpened":
      return `TakeoverOpened ${event.takeoverId} of ${event.accountId}: ${event.quantityLots} at ${event.markE8} share ${event.share} until ${event.expiresAtMillis} ${at}`
    case "TakeoverClosed":
      return `TakeoverClosed ${event.takeoverId} of ${event.accountId}: ${event.leftLots} left ${at}`
    case "ContractSplit":
      return `ContractSplit ${event.numerator}:${event.denominator} for ${event.exDay} at ${event.markE8} odd ${event.fundLots} rest ${event.remainder} ${at}`
    case "LimitsSet":
      return `LimitsSet ${event.minQuantityLots} ${event.maxQuantityLots} ${event.positionUsd} ${event.openInterestUsd} ${at}`
    case "HoldersCounted":
      return `HoldersCounted ${event.longUsers} long ${event.shortUsers} short ${at}`
    case "SettlementBegan":
      return `SettlementBegan at ${event.averageE8} ${event.priceTicks} ${at}`
    case "Priced":
      return `Priced ${event.markE8}`
    case "Sampled":
      return `Sampled ${event.premiumE10} ${at}`
    case "Funded":
      return `Funded ${event.rateE12} of ${event.markE8} rest ${event.remainder} since ${event.fromMillis}${event.skipped ? " skipped" : ""} ${at}`
  }
}

function reward({ reward }: Fill): string {
  return reward === null ? "" : `reward ${reward.amount} of ${reward.ownerId} rest ${reward.remainder}`
}

function twap(twap: Twap): string {
  return JSON.stringify(Object.entries(twap).sort())
}

function order(order: Order): string {
  const { accountId, orderId, priceTicks, quantityLots, reduceOnly, remainingLots, side, timeInForce, type, userId } =
    order
  const names = `${order.clientOrderId}|${order.builderCode}|${order.origin}|${order.updatedAtMillis}`
  const shape = `${side} ${remainingLots}/${quantityLots} @ ${priceTicks} ${type} ${timeInForce}${reduceOnly ? " reduce-only" : ""}${order.modified ? " modified" : ""}`
  const bracket = order.bracket === undefined ? "" : ` bracket ${JSON.stringify(order.bracket)}`
  return `[${orderId} ${userId} ${accountId} ${shape} ${names}${bracket}]`
}

function accountsOf(stream: Stream): ReadonlyArray<string> {
  return [...new Set(stream.steps.flatMap(({ command }) => accountsIn(command)))].sort()
}

function outcomesOf(stream: Stream, outcome: (commandId: Id) => string | undefined): ReadonlyArray<string> {
  const commands = stream.steps.map(({ command }) => command).filter(isTraderCommand)
  // Ids are retained until 60 s after the command's expiry.
  const since = Math.max(...stream.steps.map(({ atMillis }) => atMillis)) - 60_000
  return commands
    .filter(({ expiresAtMillis }) => expiresAtMillis > since)
    .map(({ commandId }) => `outcome ${commandId} ${outcome(commandId)}`)
}

/** Views, levels, totals and outcomes of the engine. */
function stateOfEngine(engine: Engine.Engine, stream: Stream): ReadonlyArray<string> {
  const lines: Array<string> = []
  for (const account of accountsOf(stream)) {
    const { orders, position, stops, twaps } = Engine.view(engine, AccountId.make(account))
    const { basis, cashFlow, fees, funding, quantityLots, rewards } = position
    const money = `cash ${cashFlow + 0} basis ${basis + 0} fees ${fees + 0} funding ${funding} rewards ${rewards}`
    lines.push(`${account} holds ${quantityLots} ${money}`)
    lines.push(...orders.map(order).sort(), ...stops.map(order), ...twaps.map(twap))
  }
  const levels = Engine.depth(engine).map(
    ({ priceTicks, quantityLots, side }) => `${side} ${priceTicks} ${quantityLots}`
  )
  const { cash, positions, reserveFund, toppedUp } = Engine.totals(engine)
  return [
    ...lines,
    ...levels.sort(),
    `totals ${positions} ${cash} ${reserveFund} ${toppedUp}`,
    ...outcomesOf(stream, (commandId) => Engine.outcome(engine, commandId))
  ]
}

function stateOfTwin(twin: TwinState.Twin, stream: Stream): ReadonlyArray<string> {
  const lines: Array<string> = []
  for (const account of accountsOf(stream)) {
    const { basis, cash, fees, funding, quantity, rewards } = TwinState.holding(twin, AccountId.make(account))
    const money = `cash ${cash} basis ${basis} fees ${fees} funding ${funding} rewards ${rewards}`
    lines.push(`${account} holds ${quantity} ${money}`)
    lines.push(
      ...twin.resting
        .map((resting) => resting.order)
        .filter((own) => own.accountId === account)
        .map(order)
        .sort(),
      ...TwinStops.ofAccount(twin, AccountId.make(account)).map((stop) => order(stop.order)),
      ...twin.twaps.filter(({ accountId }) => accountId === account).map(twap)
    )
  }
  const levels = [...TwinState.depth(twin)].map(([level, quantity]) => `${level} ${quantity}`)
  return [
    ...lines,
    ...levels.sort(),
    `totals 0 0 ${twin.reserveFund} ${[...twin.topUps.values()].reduce((total, amount) => total + amount, 0)}`,
    ...outcomesOf(stream, (commandId) => twin.outcomes.get(commandId.text))
  ]
}
