import * as Cursor from "@venue/providers/rails/arbitrum/Cursor"
import { Effect } from "effect"
import * as fc from "fast-check"
import { assert, it } from "vitest"

const number = fc.integer({ min: 0, max: 2 ** 40 })
const block = fc.record({ number, hash: fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 64 }) })

it("decodes an encoded cursor unchanged, and rejects any other text", () => {
  fc.assert(
    fc.property(block, block, (read, final) => {
      assert.deepStrictEqual(Effect.runSync(Cursor.decode(Cursor.encode({ read, final }))), { read, final })
    })
  )
  for (const text of ["", "{}", "7", '{"read":{"number":1},"final":null}'])
    assert.isTrue(Effect.runSync(Effect.isFailure(Cursor.decode(text))))
})

it("splits a range into parts within the size limit that contain each block once, in order", () => {
  fc.assert(
    fc.property(number, fc.integer({ min: -1, max: 3_000 }), fc.integer({ min: 1, max: 900 }), (from, more, most) => {
      const parts = Cursor.partsOf({ from, to: from + more }, most)
      let next = from
      for (const part of parts) {
        assert.strictEqual(part.from, next)
        assert.isTrue(part.to >= part.from && part.to - part.from < most)
        next = part.to + 1
      }
      assert.strictEqual(next, from + more + 1)
    })
  )
})

it("reads the newest 64 blocks again, but never blocks before the venue's first block", () => {
  assert.deepStrictEqual(
    [Cursor.from(1_000, 1), Cursor.from(1_000, 990), Cursor.from(1_000, 1_000), Cursor.from(1_000, 1_001)],
    [936, 990, 1_000, 1_000]
  )
})

it("after a reorganisation, reads again from the last final block, and fails if that block was replaced", () => {
  fc.assert(
    fc.property(block, block, (read, final) => {
      const cursor = { read, final }
      assert.strictEqual(Cursor.next(cursor, { read: read.hash, final: final.hash }), read.number + 1)
      assert.strictEqual(Cursor.next(cursor, { read: "other", final: final.hash }), final.number + 1)
      assert.isUndefined(Cursor.next(cursor, { read: "other", final: "other" }))
    })
  )
})

it("reads the paying account from a cursor, and returns undefined if the text contains none", () => {
  const name = { number: 7, hash: "0x7" }
  const hot = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
  assert.strictEqual(Cursor.payingAccountIn(Cursor.encode({ read: name, final: name, hot })), hot)
  for (const text of [Cursor.encode({ read: name, final: name }), "7", "", "{"])
    assert.isUndefined(Cursor.payingAccountIn(text))
})
