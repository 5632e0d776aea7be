/**
 * The keys that sign and verify, and how one follows another:
 *
 *     standby  --activate-->  active  --the next one is activated-->  retired  --remove-->  gone
 *
 * A standby key is published before it signs, so that whoever verifies knows it in time; a retired one is published
 * until the last token it signed is over. In an emergency neither is waited for.
 */
import { KeyState } from "@venue/storage/access/SigningKeyTable"
import { Result, Schema } from "effect"
import { tokenLifetimeSeconds } from "../session/TokenLifetime.ts"
import type { SigningKey } from "./SigningKey.ts"

export interface RingKey {
  readonly key: SigningKey
  readonly state: KeyState
  /** Its state changed last at this moment. */
  readonly sinceMillis: number
}

/** The oldest first; one is active. */
export type KeyRing = ReadonlyArray<RingKey>

export interface Urgency {
  /** Does not wait: tokens may be refused that would have been good. */
  readonly emergency: boolean
}

export class UnknownKey extends Schema.TaggedError<UnknownKey>()("UnknownKey", { kid: Schema.String }) {}

export class NotStandby extends Schema.TaggedError<NotStandby>()("NotStandby", {
  kid: Schema.String,
  state: KeyState
}) {}

/** The active key is not removed: another one is activated first. */
export class KeyInUse extends Schema.TaggedError<KeyInUse>()("KeyInUse", { kid: Schema.String }) {}

export class TooEarly extends Schema.TaggedError<TooEarly>()("TooEarly", {
  kid: Schema.String,
  readyAtMillis: Schema.Number
}) {}

/** The first key of a ring signs at once: there is nobody yet who could not know it. */
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
    ring.map((one) => {
      if (one === next) return { ...one, state: "active", sinceMillis: nowMillis }
      return one.state === "active" ? { ...one, state: "retired", sinceMillis: nowMillis } : one
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
  return Result.succeed(ring.filter((one) => one !== last))
}

/** How long whoever verifies may keep the published keys. */
export const jwksCacheSeconds = 600

/** Twice as long as the published keys may be cached. */
const standbyMillis = 2 * jwksCacheSeconds * 1000
/** A token's lifetime, the cache's, and a minute for clocks. */
const retiredMillis = (tokenLifetimeSeconds + jwksCacheSeconds + 60) * 1000
