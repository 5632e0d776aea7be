/** TWAPs of a random stream. */
import type { MarketCommand, TraderCommand } from "@venue/domain/Market"
import { TwapId, type TwapTerms } from "@venue/domain/Twap"
import { id } from "../../Id.ts"
import { chanceOf } from "../Chance.ts"

interface Step {
  readonly atMillis: number
  readonly command: MarketCommand
}

/**
 * Turns half of an account's immediate orders and refused orders into children of a TWAP opened before. Some repeat a
 * slice or name another account's TWAP, some have a limit beyond every band, and some TWAPs end.
 */
export function slicing(seed: number, steps: ReadonlyArray<Step>): ReadonlyArray<Step> {
  const { percent, pick, whole } = chanceOf(seed + 2_000_000)
  const opened: Array<TwapTerms & { next: number }> = []
  /** Commands already sent, by id. A repeat sends the same command. */
  const sent = new Map<string, MarketCommand>()
  return steps.flatMap(({ atMillis, command }, place): ReadonlyArray<Step> => {
    if (command._tag !== "Refuse" && (command._tag !== "Place" || command.timeInForce !== "IOC")) {
      return [{ atMillis, command }]
    }
    const { accountId, commandId, expiresAtMillis, traderEpoch, userId } = command
    const known = sent.get(commandId.text)
    if (known !== undefined) return [{ atMillis, command: known }]
    sent.set(commandId.text, command)
    if (percent(50)) return [{ atMillis, command }]
    const found: Array<Step> = []
    const add = (added: MarketCommand) => found.push({ atMillis, command: added })
    const envelope = { expiresAtMillis, traderEpoch, userId, accountId }
    let twap = opened.findLast((each) => each.accountId === accountId)
    if (percent(5) && twap !== undefined) twap = pick(...opened)
    if (twap === undefined || percent(10)) {
      const terms = termsOf(place, command, whole(2, 9), atMillis - (percent(10) ? 60_000 : 0))
      twap = { ...terms, next: 1 }
      opened.push(twap)
      add({ _tag: "OpenTwap", commandId: id(`open ${place}`), ...envelope, terms })
    }
    const { twapId } = twap
    const slice = percent(10) ? whole(1, 9) : twap.next
    twap.next = slice + whole(1, 2)
    const order = command._tag === "Refuse" ? command : { ...command, origin: "TWAP" as const }
    const isLoose = order._tag === "Place" && order.type === "LIMIT" && percent(30)
    const priced = isLoose ? { ...order, priceTicks: order.side === "BUY" ? 2 * order.priceTicks : 1 } : order
    const child: MarketCommand = { _tag: "PlaceSlice", commandId, ...envelope, twapId, slice, child: priced }
    sent.set(commandId.text, child)
    add(child)
    if (percent(15)) {
      const twapIds = percent(20) ? opened.slice(-3).map((each) => each.twapId) : [twapId]
      const ending = pick("REQUEST", "COMPLETED", "MARGIN")
      add({ _tag: "CloseTwaps", commandId: id(`close ${place}`), ...envelope, twapIds, ending })
    }
    return found
  })
}

function termsOf(
  place: number,
  { accountId, userId }: TraderCommand,
  slices: number,
  createdAtMillis: number
): TwapTerms {
  return {
    twapId: TwapId.make(id(`twap ${place}`).text),
    userId,
    accountId,
    clientTwapId: "",
    side: "BUY",
    totalLots: 1_000,
    slices,
    intervalMillis: 30_000,
    reduceOnly: false,
    worstTicks: 0,
    builderCode: "",
    startMillis: 0,
    createdAtMillis
  }
}
