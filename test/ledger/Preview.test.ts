/** Tests that a preview predicts the outcome of its order and changes nothing. */
import type { MarketEvent, TraderCommand } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import type { MarketPreview, PreviewFills, PreviewRequest } from "@venue/domain/Preview"
import { OrderRefusal } from "@venue/domain/Reject"
import { isStop } from "@venue/domain/Stop"
import * as Ledger from "@venue/ledger/Ledger"
import * as Engine from "@venue/matching/Engine"
import { assert, test } from "@effect/vitest"
import { type Chance, chanceOf } from "../matching/Chance.ts"
import { disturb, request } from "./PreviewCases.ts"
import { stateOf, stateOfMarket, userOf, World } from "./PreviewWorld.ts"

/** Statuses that no preview of an order returns: those of modifies, cancels, unlisted symbols and faults. */
const ofOthers: ReadonlySet<string> = new Set([
  "NO_SUCH_ORDER",
  "CANNOT_MODIFY_PARTIAL_FILL",
  "CANNOT_MODIFY_NO_SUCH_ORDER",
  "CANNOT_MODIFY_ALO_WOULD_CROSS",
  "BAD_SYMBOL"
])

const worlds = 250
const orders = 40

/** Kinds of outcomes that occurred. */
type Seen = Set<string>

/** Kinds of cases that must occur, so that the property is not weaker than it appears. */
const expected = [
  ...OrderRefusal.literals.filter((status) => !ofOthers.has(status)),
  "LIMIT GTC ACK",
  "LIMIT GTC MODIFIED",
  "LIMIT GTC FILLED",
  "LIMIT IOC FILLED",
  "LIMIT IOC IOC_CANCELLED",
  "LIMIT IOC IOC_PARTIALLY_FILLED",
  "LIMIT FOK FILLED",
  "LIMIT FOK CANCELLED",
  "ALO GTC ACK",
  "ALO GTC MODIFIED",
  "ALO GTC CANCELLED",
  "MARKET IOC FILLED",
  "MARKET IOC IOC_CANCELLED",
  "MARKET IOC IOC_PARTIALLY_FILLED",
  "STOP_LOSS GTC ACK",
  "TAKE_PROFIT IOC ACK",
  "of a close",
  "with a reward",
  "reduce-only, in several fills",
  "meeting an order of its own user",
  "cutting an order of somebody else",
  "bringing a stop",
  "ending a stop of somebody else",
  "from an unknown account",
  "too little for margin and fee",
  "too little to close at its price"
]

/** Recorded outcome of an order in the form of a preview. */
const recorded = (
  engine: Engine.Engine,
  { accountId, commandId }: TraderCommand,
  events: ReadonlyArray<MarketEvent>
): Pick<MarketPreview, "refusal" | "status" | "fills" | "restingLots"> => {
  const fills = { quantityLots: 0, notional: 0, fee: 0, reward: 0, remainder: 0, realised: 0 }
  let [refusal, status]: [MarketPreview["refusal"], MarketPreview["status"]] = [null, null]
  const isOurs = ({ orderId }: { readonly orderId: { readonly text: string } }) => orderId.text === commandId.text
  for (const event of events) {
    if (event._tag === "Refused") {
      // The client receives this status for an expired order.
      refusal = event.status === "EXPIRED" ? "REJECTED_FAILED_TO_PROCESS" : event.status
    } else if (event._tag === "Traded" && isOurs(event.taker.order)) {
      const { fee, realised, reward } = event.taker
      const traded = { quantityLots: event.quantityLots, notional: event.notional, fee, realised }
      const rewarded = { reward: reward?.amount ?? 0, remainder: reward?.remainder ?? 0 }
      for (const [key, value] of Object.entries({ ...traded, ...rewarded })) fills[key as keyof PreviewFills] += value
      status = "FILLED"
    } else if ((event._tag === "Accepted" || event._tag === "StopPlaced") && isOurs(event.order)) status = "ACK"
    else if (event._tag === "Modified" && isOurs(event.order)) status = "MODIFIED"
    else if (event._tag === "Ended" && isOurs(event.order)) status = event.status
  }
  const resting = Engine.view(engine, accountId).orders.find(isOurs)
  return { refusal, status, fills, restingLots: resting?.remainingLots ?? 0 }
}

/** Previews an order and then sends it; `isWatched` compares the whole state before and after the preview. */
const compare = (world: World, asked: PreviewRequest, isWatched: boolean, seen: Seen): void => {
  const trader = world.traders.get(userOf(asked.accountId))!
  const engine = world.engines.get(asked.symbol)!
  const before = Ledger.balance(trader, asked.accountId)!
  const states = () => [stateOf(trader), stateOfMarket(engine)]
  const stood = isWatched ? states() : []

  const previewed = Ledger.preview(trader, asked, 1)!
  const said = Engine.preview(engine, previewed.command, world.nowMillis)!
  assert.deepStrictEqual(Ledger.balance(trader, asked.accountId), before)
  if (isWatched) assert.deepStrictEqual(states(), stood)

  const command = Ledger.enter(trader, asked, 1)
  assert.deepStrictEqual(command, previewed.command)
  const { available, margin, wholeFee } = previewed.preview
  assert.strictEqual(available, before.available)
  const after = Ledger.balance(trader, asked.accountId)!
  const isHeld = trader.inFlight.get(asked.commandId.text)?.orderId !== ""
  if (isHeld) assert.strictEqual(before.available - after.available, margin)
  if (command._tag === "Place" && command.finding === "FAILED_MARGIN_CHECK" && margin !== null) {
    if (command.reduceOnly) seen.add("too little to close at its price")
    else if (available - margin < BigInt(wholeFee!)) seen.add("too little for margin and fee")
  }

  const isKnown = engine.participants.accountsById.has(asked.accountId)
  const { fees } = Engine.view(engine, asked.accountId).position
  const events = world.tell(asked.symbol, command)
  const { order, prices: _, share: __, ...rest } = said
  assert.deepStrictEqual(rest, recorded(engine, command, events))
  if (said.refusal === null) {
    assert.strictEqual(Engine.view(engine, asked.accountId).position.fees - fees, said.fills.fee)
    for (const event of events) {
      if (event._tag !== "Traded" || order === null) continue
      assert.isTrue(order.side === "BUY" ? event.priceTicks <= order.worstTicks : event.priceTicks >= order.worstTicks)
    }
  }
  seen.add(said.refusal ?? `${order!.type} ${order!.timeInForce} ${said.status}`)
  if (said.fills.quantityLots > 0) for (const kind of kindsOf(asked, said, events)) seen.add(kind)
  if (!isKnown && said.refusal === null) seen.add("from an unknown account")
}

/** Properties of an order's fills that are hard to predict. */
const kindsOf = (
  { _tag, accountId, commandId }: PreviewRequest,
  { fills, order }: MarketPreview,
  events: ReadonlyArray<MarketEvent>
): ReadonlyArray<string> => {
  const ofOthers = (tag: MarketEvent["_tag"], isOf: (order: Order) => boolean = () => true) =>
    events.some(
      (event) =>
        event._tag === tag &&
        "order" in event &&
        event.order.accountId !== accountId &&
        event.order.orderId.text !== commandId.text &&
        isOf(event.order)
    )
  const kinds: ReadonlyArray<readonly [string, boolean]> = [
    ["of a close", _tag === "ClosePosition"],
    ["with a reward", fills.reward > 0],
    [
      "reduce-only, in several fills",
      order!.reduceOnly && events.filter((event) => event._tag === "Traded").length > 1
    ],
    [
      "meeting an order of its own user",
      events.some((event) => event._tag === "Ended" && event.status === "CANCELLED_STP")
    ],
    ["cutting an order of somebody else", ofOthers("Modified", ({ type }) => type === "LIMIT")],
    ["bringing a stop", events.some((event) => event._tag === "StopPlaced")],
    ["ending a stop of somebody else", ofOthers("Ended", ({ type }) => isStop(type))]
  ]
  return kinds.filter(([, isSo]) => isSo).map(([kind]) => kind)
}

const play = (chance: Chance, seen: Seen): void => {
  const world = new World(chance)
  for (let left = orders; left > 0; left--) {
    for (let times = chance.whole(1, 4); times > 0; times--) disturb(world, chance)
    compare(world, request(world, chance), chance.percent(10), seen)
  }
}

test("I54: a preview changes nothing and predicts the order's refusal, margin, fills and fees, in 10,000 random cases", () => {
  const seen: Seen = new Set()
  for (let seed = 1; seed <= worlds; seed++) play(chanceOf(seed), seen)
  assert.deepStrictEqual(
    expected.filter((kind) => !seen.has(kind)),
    []
  )
}, 900_000)
