/**
 * Ring of signing keys and its transitions: standby --activate--> active --activation of the next--> retired
 * --remove--> gone
 *
 * A standby key is published before it signs, so that verifiers fetch it in time; a retired key stays published until
 * its last token has expired. An emergency skips both waits.
 */
import { KeyState } from "@venue/storage/access/SigningKeyTable"
import { Result, Schema } from "effect"
import { tokenLifetimeSeconds } from "../session/TokenLifetime.ts"
import type { SigningKey } from "./SigningKey.ts"

export interface RingKey {
  readonly key: SigningKey
  readonly state: KeyState
  /** Time of the last change of state. */
  readonly sinceMillis: number
}

/** Oldest first; exactly one is active. */
export type KeyRing = ReadonlyArray<RingKey>

export interface Urgency {
  /** Skips the waits: valid tokens may be refused. */
  readonly emergency: boolean
}

export class UnknownKey extends Schema.TaggedError<UnknownKey>()("UnknownKey", { kid: Schema.String }) {}

export class NotStandby extends Schema.TaggedError<NotStandby>()("NotStandby", {
  kid: Schema.String,
  state: KeyState
}) {}

/** The active key cannot be removed; activate another one first. */
export class KeyInUse extends Schema.TaggedError<KeyInUse>()("KeyInUse", { kid: Schema.String }) {}

export class TooEarly extends Schema.TaggedError<TooEarly>()("TooEarly", {
  kid: Schema.String,
  readyAtMillis: Schema.Number
}) {}

/** Returns a ring whose first key signs at once: no verifier holds an older ring. */
export const found = (key: SigningKey, nowMillis: number): KeyRing => [{ key, state: "active", sinceMillis: nowMillis }]

export const stand = (ring: KeyRing, key: SigningKey, nowMillis: number): KeyRing => [
  ...ring,
  { key, state: "standby", sinceMillis: nowMillis }
]

export const activate = (
  ring: KeyRing,
  kid: string,
  nowMillis: number,
  { emergency }: Urgency
): Result.Result<KeyRing, UnknownKey | NotStandby | TooEarly> => {
  const next = ring.find(({ key }) => key.kid === kid)
  if (next === undefined) return Result.fail(new UnknownKey({ kid }))
  if (next.state !== "standby") return Result.fail(new NotStandby({ kid, state: next.state }))
  const readyAtMillis = next.sinceMillis + standbyMillis
  if (nowMillis < readyAtMillis && !emergency) return Result.fail(new TooEarly({ kid, readyAtMillis }))
  return Result.succeed(
    ring.map((entry) => {
      if (entry === next) return { ...entry, state: "active", sinceMillis: nowMillis }
      return entry.state === "active" ? { ...entry, state: "retired", sinceMillis: nowMillis } : entry
    })
  )
}

export const remove = (
  ring: KeyRing,
  kid: string,
  nowMillis: number,
  { emergency }: Urgency
): Result.Result<KeyRing, UnknownKey | KeyInUse | TooEarly> => {
  const last = ring.find(({ key }) => key.kid === kid)
  if (last === undefined) return Result.fail(new UnknownKey({ kid }))
  if (last.state === "active") return Result.fail(new KeyInUse({ kid }))
  const readyAtMillis = last.state === "retired" ? last.sinceMillis + retiredMillis : nowMillis
  if (nowMillis < readyAtMillis && !emergency) return Result.fail(new TooEarly({ kid, readyAtMillis }))
  return Result.succeed(ring.filter((entry) => entry !== last))
}

/** Maximum cache age of the published keys at verifiers, in seconds. */
export const jwksCacheSeconds = 600

/** Twice the cache age of the published keys. */
const standbyMillis = 2 * jwksCacheSeconds * 1000
/** Lifetime of a token, plus the cache age, plus a minute for clock differences. */
const retiredMillis = (tokenLifetimeSeconds + jwksCacheSeconds + 60) * 1000
