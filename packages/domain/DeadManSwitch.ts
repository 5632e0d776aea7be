/**
 * The dead-man switch of an account: unless its client asks again in time, its orders are cancelled as if an armed
 * connection had been lost (rule 4.21).
 */
import { Schema } from "effect"
import type { AccountId } from "./AccountId.ts"
import { mix } from "./BitMix.ts"
import * as Id from "./Id.ts"
import type { MarketSymbol } from "./MarketSymbol.ts"

/** A client may ask for so much time, or for 0, which switches it off. */
export const Timeout = Schema.Union([
  Schema.Literal(0),
  Schema.Int.check(Schema.isBetween({ minimum: 5, maximum: 600 }))
])

export const isTimeout = Schema.is(Timeout)

/** How the switch of an account stands. */
export const DeadManSwitch = Schema.Struct({
  /** The newest request that is recorded came to its gateway then; older ones change nothing. */
  askedMillis: Schema.Number,
  /** It fires then; 0 while it is off. */
  dueMillis: Schema.Number,
  /** It fired then, and not all of its cancels are recorded; 0 where nothing is left to do. */
  firedMillis: Schema.Number
})
export type DeadManSwitch = typeof DeadManSwitch.Type

/** Nobody has asked for it. */
export const off: DeadManSwitch = { askedMillis: 0, dueMillis: 0, firedMillis: 0 }

/** Says whether there is something to do for it, now or later. */
export const isOn = ({ dueMillis, firedMillis }: DeadManSwitch): boolean => dueMillis !== 0 || firedMillis !== 0

/** Rounds up to the whole second: requests that come to the same one are one. */
export const dueMillis = (askedMillis: number, timeoutSeconds: number): number =>
  timeoutSeconds === 0 ? 0 : Math.ceil(askedMillis / 1_000 + timeoutSeconds) * 1_000

/**
 * The id of the cancel in one market follows from the firing, so that whoever owns the desk sends the same, which its market
 * does once. A market that could not be reached in time is sent another attempt.
 */
export const cancelId = (accountId: AccountId, firedMillis: number, symbol: MarketSymbol, attempt: number): Id.Id => {
  const text = `${accountId} ${firedMillis} ${symbol} ${attempt}`
  return Id.version4(hash(text, 1), hash(text, 2), hash(text, 3), hash(text, 4))
}

const hash = (text: string, seed: number): number => {
  let word = seed
  for (let index = 0; index < text.length; index++) word = mix(word ^ text.charCodeAt(index))
  return word
}
