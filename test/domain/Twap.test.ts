/** Tests of the ids of a TWAP's child orders. */
import { childId, TwapId } from "@venue/domain/Twap"
import { series } from "@venue/domain/Id"
import { assert, it } from "@effect/vitest"
import { id } from "../Id.ts"

it("I31: derives the same version 4 UUID for the child order of a slice every time", () => {
  const twapId = TwapId.make(id("twap").text)
  assert.strictEqual(childId(twapId, 7).text, childId(twapId, 7).text)
  // Journals contain this id, so it must never change.
  assert.strictEqual(
    childId(TwapId.make("0f7b2d96-84ae-4c1d-9b53-7e20a6c8d4f1"), 1).text,
    "d6057347-d8eb-4923-bcb0-ad9b32437517"
  )
  assert.match(childId(twapId, 7).text, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

it("I31: derives different ids for all slices of a TWAP, and for the slices of other TWAPs", () => {
  let drawn = 1
  const next = series(() => (drawn = Math.imul(drawn, 48_271) | 0))
  const ids = new Set<string>()
  for (let each = 0; each < 64; each++) {
    const twapId = next().text
    ids.add(twapId)
    for (let slice = 1; slice <= 500; slice++) ids.add(childId(TwapId.make(twapId), slice).text)
  }
  assert.strictEqual(ids.size, 64 * 501)
})
