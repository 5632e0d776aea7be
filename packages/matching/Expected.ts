/**
 * The ids of the commands that come next. What they lead to is strewn over more memory than the caches hold: touched
 * for a whole batch at a time, it is fetched side by side, and is at hand when each command is decided.
 */
import type { MarketCommand } from "@venue/domain/Market"
import * as HashIndex from "./HashIndex.ts"
import * as Slots from "./Slots.ts"
import * as Uuid from "./Uuid.ts"

export interface Expected {
  commands: ReadonlyArray<MarketCommand>
  /** Place of the next one among them. */
  next: number
  /** For each the words of its own id, and of the order it names. */
  words: Int32Array
  isCanonical: Uint8Array
  /** Of all that was touched: unused, but the touching would be left out without it. */
  touched: number
}

export const make = (): Expected => ({
  commands: [],
  next: 0,
  words: new Int32Array(0),
  isCanonical: new Uint8Array(0),
  touched: 0
})

export const read = (
  expected: Expected,
  commands: ReadonlyArray<MarketCommand>,
  outcomes: HashIndex.HashIndex,
  orders: Slots.Slots
): void => {
  expected.commands = commands
  expected.next = 0
  if (expected.isCanonical.length < commands.length) {
    expected.words = new Int32Array(commands.length * width)
    expected.isCanonical = new Uint8Array(commands.length)
  }
  for (let i = 0; i < commands.length; i++) readIds(expected, commands[i]!, i)
  const { words } = expected
  for (let at = Uuid.HASH; at < commands.length * width; at += width) {
    expected.touched ^= HashIndex.touch(outcomes, words[at]!)
    // Where an order goes that this command places, and the order it names.
    expected.touched ^= HashIndex.touch(orders.index, words[at]!)
    const slot = HashIndex.touch(orders.index, words[at + ORDER]!)
    expected.touched ^= orders.words[slot]! ^ orders.words[slot + Slots.PREVIOUS]!
  }
}

export const isNext = ({ commands, next }: Expected, command: MarketCommand): boolean => commands[next] === command

/** The words of the next command's own id and of the order it names; whether the first give the id's text back. */
export const take = (expected: Expected, own: Int32Array, order: Int32Array): boolean => {
  const { next, words } = expected
  const at = next * width
  // Written out: loops as short as these cost more than what they do.
  own[0] = words[at]!
  own[1] = words[at + 1]!
  own[2] = words[at + 2]!
  own[3] = words[at + 3]!
  own[4] = words[at + 4]!
  order[0] = words[at + ORDER]!
  order[1] = words[at + ORDER + 1]!
  order[2] = words[at + ORDER + 2]!
  order[3] = words[at + ORDER + 3]!
  order[4] = words[at + ORDER + 4]!
  expected.next++
  return expected.isCanonical[next] === 1
}

const width = 10
const ORDER = 5

function readIds({ isCanonical, words }: Expected, command: MarketCommand, i: number): void {
  if (!("commandId" in command)) return
  isCanonical[i] = Uuid.read(command.commandId, words, i * width) ? 1 : 0
  if ("orderId" in command) Uuid.read(command.orderId, words, i * width + ORDER)
}
