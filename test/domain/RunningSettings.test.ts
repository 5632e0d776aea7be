/** Number of operators that a change of a setting needs. */
import { assert, it } from "@effect/vitest"
import { type Field, peopleNeeded } from "@venue/domain/RunningSettings"

for (const [field, before, after, operator, expected] of [
  ["twoPeopleAbove", "250000", "250001", "ann", 2],
  ["twoPeopleAbove", "250000", "90000", "ann", 1],
  ["newAddressHoldHours", "24", "9", "ann", 2],
  ["newAddressHoldHours", "9", "24", "ann", 1],
  ["secondFactorToFund", "on", "off", "ann", 2],
  ["secondFactorToFund", "off", "on", "ann", 1],
  ["adminToken", "former", "later", "ann", 2],
  ["adminToken", "former", "former", "ann", 1],
  ["adminToken", "former", "later", "operator", 1],
  ["termsVersion", "1", "2", "ann", 1],
  ["identityKey", "former", "later", "ann", 1]
] as ReadonlyArray<readonly [Field, string, string, string, number]>)
  it(`${field} from ${before} to ${after} by ${operator} needs ${expected}`, () => {
    assert.strictEqual(peopleNeeded(field, before, after, operator), expected)
  })
