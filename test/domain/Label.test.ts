/** Tests of labels of keys and addresses. */
import { isLabel } from "@venue/domain/Label"
import { Schema } from "effect"
import { expect, it } from "vitest"

const isGood = Schema.is(Schema.String.check(isLabel))

it("accepts a zero-width joiner or non-joiner between two letters, as in Persian and Hindi spelling", () => {
  for (const label of ["می\u200cخواهم", "क्\u200dष", "क्\u200cष", "trading bot 7", "é", "👍"]) {
    expect([label, isGood(label)]).toEqual([label, true])
  }
})

it("rejects a zero-width joiner that does not stand between two letters", () => {
  for (const label of ["\u200ca", "a\u200c", "a\u200c b", "a\u200d1", "1\u200da", "a\u200c\u200db", "\u200c"]) {
    expect([label, isGood(label)]).toEqual([label, false])
  }
})

it("rejects surrounding space, line breaks, control characters and format characters", () => {
  for (const label of ["", " a", "a ", "a\n", "a\nb", "a\u0000b", "a\u2028b", "a\u202eb", "a\u200bb", "\ufeffa"]) {
    expect([label, isGood(label)]).toEqual([label, false])
  }
})
