import { Username } from "@venue/domain/Username"
import { expect, it } from "@effect/vitest"
import { Schema } from "effect"

it("accepts usernames of 3 to 24 characters from a-z, 0-9, _ and -, except reserved names", () => {
  const isUsername = Schema.is(Username)
  for (const name of ["amy", "a-1", "x_y", "0".repeat(24), "administrators"])
    expect([name, isUsername(name)]).toEqual([name, true])
  const refused = ["", "ab", "a".repeat(25), "Amy", "AMY", "a b", "amy\n", "ämy", "admin", "support", "me", "null"]
  for (const name of refused) expect([name, isUsername(name)]).toEqual([name, false])
})
