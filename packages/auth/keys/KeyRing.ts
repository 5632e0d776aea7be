/**
 * Ring of signing keys and its transitions: standby --activate--> active --activation of the next--> retired
 * --remove--> gone
 * A standby key is published before it signs, so that verifiers can fetch it in time. A retired key stays published
 * until the last token it signed has expired. In an emergency both waiting times are skipped.
 */
import { KeyState } from "@venue/storage/access/SigningKeyTable"
import { Result, Schema } from "effect"
import { tokenLifetimeSeconds } from "../session/TokenLifetime.ts"
import type { SigningKey } from "./SigningKey.ts"

export interface RingKey {
  readonly key: SigningKey
  readonly state: KeyState
  /** Time of the last state change. */
  readonly sinceMillis: number
}

/** All signing keys, oldest first; exactly one key is active. */
export type KeyRing = ReadonlyArray<RingKey>

export interface Urgency {
  /** Skips the waiting times, so verifiers might refuse valid tokens. */
  readonly emergency: boolean
}

export class UnknownKey extends Schema.TaggedError<UnknownKey>()("UnknownKey", { kid: Schema.String }) {}

export class NotStandby extends Schema.TaggedError<NotStandby>()("NotStandby", {
  kid: Schema.String,
  state: KeyState
}) {}

/** The active key cannot be removed; activate another key first. */
export class KeyInUse extends Schema.TaggedError<KeyInUse>()("KeyInUse", { kid: Schema.String }) {}

export class TooEarly extends Schema.TaggedError<TooEarly>()("TooEarly", {
  kid: Schema.String,
  readyAtMillis: Schema.Number
}) {}

/** Returns a ring whose only key is active immediately: no verifier has cached an older ring. */
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

/** Maximum time for which verifiers cache the published keys, in seconds. */
export const jwksCacheSeconds = 600

/** Waiting time before activation: twice the cache time of the published keys. */
const standbyMillis = 2 * jwksCacheSeconds * 1000
/** Waiting time before removal: a token's lifetime, the cache time, and one minute for clock differences. */
const retiredMillis = (tokenLifetimeSeconds + jwksCacheSeconds + 60) * 1000
