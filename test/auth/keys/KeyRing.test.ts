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
  it("the first key is active, and one that follows stands by for twenty minutes", () => {
    assert.deepStrictEqual(states(ring), [
      [first.kid, "active"],
      [second.kid, "standby"]
    ])
    const refused = refusal(KeyRing.activate(ring, second.kid, ready - 1, calmly))
    assert.deepInclude(refused, { _tag: "TooEarly", kid: second.kid, readyAtMillis: ready })
  })

  it("activated, it is the only active one, and the one before is retired", () => {
    assert.deepStrictEqual(states(follow()), [
      [first.kid, "retired"],
      [second.kid, "active"]
    ])
  })

  it("a retired key is kept until the last token of it is over, and a minute and a cache longer", () => {
    const removable = ready + 4_260_000
    const refused = refusal(KeyRing.remove(follow(), first.kid, removable - 1, calmly))
    assert.deepInclude(refused, { _tag: "TooEarly", readyAtMillis: removable })
    const left = Result.getOrThrow(KeyRing.remove(follow(), first.kid, removable, calmly))
    assert.deepStrictEqual(states(left), [[second.kid, "active"]])
  })

  it("in an emergency nothing is waited for, but the active key stays until another one is", () => {
    const inUse = refusal(KeyRing.remove(ring, first.kid, 1_000, atOnce))
    assert.deepInclude(inUse, { _tag: "KeyInUse", kid: first.kid })
    const next = Result.getOrThrow(KeyRing.activate(ring, second.kid, 1_000, atOnce))
    const left = Result.getOrThrow(KeyRing.remove(next, first.kid, 1_000, atOnce))
    assert.deepStrictEqual(states(left), [[second.kid, "active"]])
  })

  it("only a key on standby is activated, and only a known one is removed", () => {
    const active = refusal(KeyRing.activate(ring, first.kid, ready, atOnce))
    const retired = refusal(KeyRing.activate(follow(), first.kid, ready, atOnce))
    assert.deepInclude(active, { _tag: "NotStandby", state: "active" })
    assert.deepInclude(retired, { _tag: "NotStandby", state: "retired" })
    assert.deepInclude(refusal(KeyRing.activate(ring, "other", ready, atOnce)), { _tag: "UnknownKey" })
    assert.deepInclude(refusal(KeyRing.remove(ring, "other", ready, atOnce)), { _tag: "UnknownKey" })
  })

  it("a key on standby may be given up at any time", () => {
    assert.deepStrictEqual(states(Result.getOrThrow(KeyRing.remove(ring, second.kid, 1_000, calmly))), [
      [first.kid, "active"]
    ])
  })
})
