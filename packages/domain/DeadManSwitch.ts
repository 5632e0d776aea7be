/** An account's dead-man switch: cancels its orders unless the client renews the switch in time (rule 4.21). */
import { Schema } from "effect"
import type { AccountId } from "./AccountId.ts"
import { mix } from "./BitMix.ts"
import * as Id from "./Id.ts"
import type { MarketSymbol } from "./MarketSymbol.ts"

/** Timeout in whole seconds, from 5 to 600; 0 switches the dead-man switch off. */
export const Timeout = Schema.Union([
  Schema.Literal(0),
  Schema.Int.check(Schema.isBetween({ minimum: 5, maximum: 600 }))
])

/** Returns true for a valid timeout in seconds. */
export const isTimeout = Schema.is(Timeout)

/** State of an account's dead-man switch. All times are in Unix milliseconds. */
export const DeadManSwitch = Schema.Struct({
  /** Time at which a gateway received the newest recorded request. Older requests are ignored. */
  askedMillis: Schema.Number,
  /** Time at which the switch fires; 0 while it is off. */
  dueMillis: Schema.Number,
  /** Time at which the switch fired; 0 if it has not fired, and again after all of its cancels are recorded. */
  firedMillis: Schema.Number
})
export type DeadManSwitch = typeof DeadManSwitch.Type

export const off: DeadManSwitch = { askedMillis: 0, dueMillis: 0, firedMillis: 0 }

/** Returns true if the switch is set, or has fired and still has cancels to record. */
export const isOn = ({ dueMillis, firedMillis }: DeadManSwitch): boolean => dueMillis !== 0 || firedMillis !== 0

/**
 * Returns the time at which a switch requested at `askedMillis` fires, rounded up to a whole second, or 0 if the
 * timeout is 0. Renewals that round to the same second are recorded once.
 */
export const dueMillis = (askedMillis: number, timeoutSeconds: number): number =>
  timeoutSeconds === 0 ? 0 : Math.ceil(askedMillis / 1_000 + timeoutSeconds) * 1_000

/**
 * Derives the id of the cancel command that one firing sends to one market. Every owner of the desk derives the same
 * id, so the market executes the cancel once. A retry after a failed attempt uses the next `attempt` and thus a new
 * id.
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
