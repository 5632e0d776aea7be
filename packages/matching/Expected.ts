/**
 * The orders that commands name are strewn over more memory than the caches hold: touched for a whole batch at a time,
 * they are fetched side by side, and are at hand when each command is decided.
 */
import type { MarketCommand } from "@venue/domain/Market"
import * as Slots from "./Slots.ts"

/** Answers with something of all that was touched: without a use for it, the touching would be left out. */
export const touch = (commands: ReadonlyArray<MarketCommand>, slots: Slots.Slots): number => {
  const { words } = slots
  const named = new Int32Array(commands.length)
  let count = 0
  for (const command of commands) {
    if ("orderId" in command && command.orderId !== null) named[count++] = Slots.first(slots, command.orderId)
  }
  // Each in a loop of its own: the shorter it is, the more fetches are under way at once.
  let touched = 0
  for (let i = 0; i < count; i++) touched ^= words[named[i]!]!
  for (let i = 0; i < count; i++) if (Slots.clientOrderId(slots, named[i]!) === "") touched ^= 1
  return touched
}
