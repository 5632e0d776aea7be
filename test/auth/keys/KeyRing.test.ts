import * as KeyRing from "@venue/auth/keys/KeyRing"
import { generate } from "@venue/auth/keys/SigningKey"
import { assert, describe, it } from "vitest"
import { Result } from "effect"

const calmly = { emergency: false }
const atOnce = { emergency: true }

const [first, second] = [generate(), generate()] as const
const ring = KeyRing.stand(KeyRing.found(first, 0), second, 1_000)
const ready = 1_000 + 20 * 60 * 1_000

const states = (keys: KeyRing.KeyRing) => keys.map(({ key, state }) => [key.kid, state])
const follow = () => Result.getOrThrow(KeyRing.activate(ring, second.kid, ready, calmly))
const refusal = (result: Result.Result<KeyRing.KeyRing, object>) => Result.getOrThrow(Result.flip(result))

describe("KeyRing", () => {
  it("activates the first key immediately, and keeps each later key on standby for twenty minutes", () => {
    assert.deepStrictEqual(states(ring), [
      [first.kid, "active"],
      [second.kid, "standby"]
    ])
    const refused = refusal(KeyRing.activate(ring, second.kid, ready - 1, calmly))
    assert.deepInclude(refused, { _tag: "TooEarly", kid: second.kid, readyAtMillis: ready })
  })

  it("retires the previous key when another key is activated", () => {
    assert.deepStrictEqual(states(follow()), [
      [first.kid, "retired"],
      [second.kid, "active"]
    ])
  })

  it("keeps a retired key until one minute plus the cache time after the key's last token has expired", () => {
    const removable = ready + 4_260_000
    const refused = refusal(KeyRing.remove(follow(), first.kid, removable - 1, calmly))
    assert.deepInclude(refused, { _tag: "TooEarly", readyAtMillis: removable })
    const left = Result.getOrThrow(KeyRing.remove(follow(), first.kid, removable, calmly))
    assert.deepStrictEqual(states(left), [[second.kid, "active"]])
  })

  it("an emergency rotation skips waiting times, but keeps the active key until another key is activated", () => {
    const inUse = refusal(KeyRing.remove(ring, first.kid, 1_000, atOnce))
    assert.deepInclude(inUse, { _tag: "KeyInUse", kid: first.kid })
    const next = Result.getOrThrow(KeyRing.activate(ring, second.kid, 1_000, atOnce))
    const left = Result.getOrThrow(KeyRing.remove(next, first.kid, 1_000, atOnce))
    assert.deepStrictEqual(states(left), [[second.kid, "active"]])
  })

  it("activates only standby keys, and removes only known keys", () => {
    const active = refusal(KeyRing.activate(ring, first.kid, ready, atOnce))
    const retired = refusal(KeyRing.activate(follow(), first.kid, ready, atOnce))
    assert.deepInclude(active, { _tag: "NotStandby", state: "active" })
    assert.deepInclude(retired, { _tag: "NotStandby", state: "retired" })
    assert.deepInclude(refusal(KeyRing.activate(ring, "other", ready, atOnce)), { _tag: "UnknownKey" })
    assert.deepInclude(refusal(KeyRing.remove(ring, "other", ready, atOnce)), { _tag: "UnknownKey" })
  })

  it("removes a standby key at any time", () => {
    assert.deepStrictEqual(states(Result.getOrThrow(KeyRing.remove(ring, second.kid, 1_000, calmly))), [
      [first.kid, "active"]
    ])
  })
})
