import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { serialization } from "./Message.ts"

/** Decodes with one schema what another schema encoded; returns `undefined` if decoding fails. */
const carried = (from: Schema.Top, to: Schema.Top, value: unknown): unknown => {
  const [writer, reader] = [from, to].map((schema) => serialization.codecFor(schema) as Schema.Codec<unknown, unknown>)
  const bytes = Schema.encodeSync(writer!)(value)
  return Option.getOrUndefined(Schema.decodeUnknownOption(reader!)(bytes))
}

const stop = { symbol: Schema.String, atTicks: Schema.Number }
const older = Schema.Struct(stop)
const newer = Schema.Struct({
  ...stop,
  notes: Schema.optionalKey(Schema.Array(Schema.String)),
  isHidden: Schema.optionalKey(Schema.Boolean)
})
const old = { symbol: "GOLD-USD", atTicks: 34_112 }
const young = { ...old, notes: ["first", "first"], isHidden: true }

describe("message changes between nodes of two releases", () => {
  it("a node of the older release ignores an added optional field", () => {
    assert.deepStrictEqual(carried(newer, older, young), old)
    assert.deepStrictEqual(carried(older, newer, old), old)
    const [many, few] = [Schema.Array(newer), Schema.Array(older)]
    assert.deepStrictEqual(carried(many, few, [young, old, young]), [old, old, old])
    assert.deepStrictEqual(carried(few, many, [old, old]), [old, old])
    assert.deepStrictEqual(
      carried(Schema.Void, Schema.Struct({ at: Schema.optionalKey(Schema.Number) }), undefined),
      {}
    )
    assert.isUndefined(carried(Schema.Struct({ at: Schema.optionalKey(Schema.Number) }), Schema.Void, { at: 1 }))
  })

  it("a node of the other release cannot decode a message in which a required field was added, removed or renamed", () => {
    const further = Schema.Struct({ ...stop, side: Schema.String })
    assert.isUndefined(carried(older, further, old))
    assert.isUndefined(carried(Schema.Struct({ symbol: Schema.String }), older, old))
    assert.isUndefined(
      carried(Schema.Struct({ symbol: Schema.String, ticks: Schema.Number }), older, { ...old, ticks: 1 })
    )
  })

  it("a node of the other release silently drops an optional field whose type has changed", () => {
    const [words, number] = [Schema.String, Schema.Number].map((schema) =>
      Schema.Struct({ ...stop, note: Schema.optionalKey(schema) })
    )
    assert.deepStrictEqual(carried(words!, number!, { ...old, note: "seven" }), old)
  })

  it("only a node of the newer release decodes an added literal or union member", () => {
    const [two, three] = [Schema.Literals(["BUY", "SELL"]), Schema.Literals(["BUY", "SELL", "NONE"])]
    assert.strictEqual(carried(two, three, "SELL"), "SELL")
    assert.isUndefined(carried(three, two, "NONE"))
    const kinds = ["Placed", "Moved", "Hidden"].map((tag) => Schema.TaggedStruct(tag, { id: Schema.String }))
    const [few, more] = [Schema.Union(kinds.slice(0, 2)), Schema.Union(kinds)]
    assert.deepStrictEqual(carried(few, more, { _tag: "Moved", id: "7" }), { _tag: "Moved", id: "7" })
    assert.deepStrictEqual(carried(more, few, { _tag: "Moved", id: "7" }), { _tag: "Moved", id: "7" })
    assert.isUndefined(carried(more, few, { _tag: "Hidden", id: "7" }))
  })

  it("neither node decodes a field that becomes a union or that newly allows `null`", () => {
    const kinds = ["Placed", "Moved"].map((tag) => Schema.TaggedStruct(tag, { id: Schema.String }))
    const [one, both] = [kinds[0]!, Schema.Union(kinds)]
    assert.isUndefined(carried(one, both, { _tag: "Placed", id: "7" }))
    assert.isUndefined(carried(both, one, { _tag: "Placed", id: "7" }))
    const [ticks, perhaps] = [Schema.Number, Schema.NullOr(Schema.Number)].map((atTicks) => Schema.Struct({ atTicks }))
    assert.isUndefined(carried(ticks!, perhaps!, { atTicks: 1 }))
    assert.isUndefined(carried(perhaps!, ticks!, { atTicks: 1 }))
  })
})
