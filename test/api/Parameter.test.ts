import { Optional, WholeNumber } from "@venue/api/Parameter"
import { assert, it } from "@effect/vitest"
import { Result, Schema } from "effect"

const limit = Schema.decodeUnknownResult(
  Schema.Struct({ limit: Optional(WholeNumber({ minimum: -5, maximum: 1_000 })) })
)

it("refuses whole query numbers that are not plain digits", () => {
  for (const text of [
    "1e3",
    "1E0",
    "0x10",
    "0b1",
    "1.0",
    "+5",
    " 5",
    "5 ",
    "5\n",
    "1_0",
    "\uff15",
    "NaN",
    "-",
    "--1"
  ]) {
    const read = limit({ limit: text })
    assert.include(Result.isFailure(read) ? String(read.failure) : text, "a whole number in plain digits", text)
  }
})

it("refuses whole numbers out of bounds, and reads an empty value as missing", () => {
  for (const text of ["-6", "1001", "9".repeat(400)]) assert.isTrue(Result.isFailure(limit({ limit: text })), text)
  for (const [text, value] of [
    ["-5", -5],
    ["0", 0],
    ["0012", 12],
    ["1000", 1_000]
  ] as const) {
    assert.deepEqual(limit({ limit: text }), Result.succeed({ limit: value }))
  }
  assert.deepEqual(limit({ limit: "" }), Result.succeed({}))
})
