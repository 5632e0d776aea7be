/**
 * What the commands that come next lead to is strewn over more memory than the caches hold: touched for a whole batch
 * at a time, it is fetched side by side, and is at hand when each command is decided.
 */
import type { MarketCommand } from "@venue/domain/Market"
import * as HashIndex from "./HashIndex.ts"
import type { Outcomes } from "./Outcomes.ts"
import * as Slots from "./Slots.ts"

/** Answers with something of all that was touched: without a use for it, the touching would be left out. */
export const touch = (commands: ReadonlyArray<MarketCommand>, outcomes: Outcomes, slots: Slots.Slots): number => {
  const { index, words } = slots
  let touched = 0
  for (const command of commands) {
    if (!("commandId" in command)) continue
    const own = HashIndex.hash(command.commandId)
    // Where it is remembered, where an order goes that it places, and the order it names.
    touched ^= HashIndex.touch(outcomes.index, own) ^ HashIndex.touch(index, own)
    if (!("orderId" in command) || command.orderId === null) continue
    const slot = HashIndex.touch(index, HashIndex.hash(command.orderId))
    touched ^= words[slot]! ^ words[slot + Slots.PREVIOUS]!
  }
  return touched
}
