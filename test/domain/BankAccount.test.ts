import { type BankDetails, faultsOf, isKnown, masked } from "@venue/domain/BankAccount"
import { assert, it } from "@effect/vitest"

const details: BankDetails = {
  first_name: "Zoë",
  last_name: "van den Berg",
  routing_number: "021000021",
  bank_name: "First Bank",
  account_number: "123456789",
  type: "checking",
  street_line_1: "1 Main Street",
  country: "USA",
  state: "NY",
  city: "New York",
  postal_code: "10001"
}
const nobody = { firstName: null, lastName: null }
const faults = (
  change: Partial<BankDetails>,
  verified = { firstName: "ZOE", lastName: "Vandenberg" } as {
    firstName: string | null
    lastName: string | null
  }
) => faultsOf({ ...details, ...change }, verified).map(({ member }) => member)

it("accepts valid bank details, and compares names regardless of case, accents and spaces", () => {
  assert.deepStrictEqual(faults({}), [])
  assert.deepStrictEqual(faults({ first_name: "Zoé", last_name: "VAN DEN BERG" }), [])
  assert.deepStrictEqual(faults({ street_line_2: "Floor 2", country: "DEU", type: "savings" }), [])
})

it("accepts a routing number only if it has nine digits and a valid checksum", () => {
  for (const right of ["021000021", "011401533", "091000019"])
    assert.deepStrictEqual(faults({ routing_number: right }), [])
  for (const wrong of [
    "000000000",
    "130000006",
    "500000005",
    "990000000",
    "331000006",
    "021000022",
    "201000021",
    "21000021",
    "0210000210",
    "02100002x",
    ""
  ]) {
    assert.deepStrictEqual(faults({ routing_number: wrong }), ["routing_number"])
  }
})

it("rejects bank details in which any member has an invalid value", () => {
  const { state: _, ...stateless } = details
  assert.deepStrictEqual(
    faultsOf(stateless, nobody).map(({ member }) => member),
    ["state"]
  )
  assert.deepStrictEqual(faultsOf({ ...stateless, country: "DEU" }, nobody), [])
  const wrong: ReadonlyArray<readonly [keyof BankDetails, ReadonlyArray<string>]> = [
    ["account_number", ["0000", "00000000000000000", "123", "123456789012345678", "12 34", "12a4"]],
    ["type", ["Checking", "current", ""]],
    ["country", ["US", "usa", "QQQ", ""]],
    ["street_line_1", ["Main Street", "", "1\nMain", `1${"x".repeat(200)}`]],
    ["street_line_2", [" ", "a\0b"]],
    ["city", ["", "x".repeat(101)]],
    ["postal_code", ["", "x".repeat(21)]],
    ["bank_name", [""]],
    ["state", ["", "ZZ", "New", "N Y"]]
  ]
  for (const [member, values] of wrong) {
    for (const value of values) assert.deepStrictEqual([value, faults({ [member]: value })], [value, [member]])
  }
})

it("rejects another person's name as account holder, but accepts any name while no verified name is known", () => {
  assert.deepStrictEqual(faults({ first_name: "Zo" }), ["first_name"])
  assert.deepStrictEqual(faults({ last_name: "Berg" }), ["last_name"])
  assert.deepStrictEqual(faults({ first_name: "Anybody" }, nobody), [])
  assert.isFalse(isKnown(nobody))
  assert.isFalse(isKnown({ firstName: "Zoë", lastName: null }))
  assert.isTrue(isKnown({ firstName: "Zoë", lastName: "Berg" }))
})

it("shows at most the last four digits of an account number, and at most half of its digits", () => {
  assert.strictEqual(masked(details), "****6789")
  assert.strictEqual(masked({ ...details, account_number: "1234" }), "****34")
  assert.strictEqual(masked({ ...details, account_number: "12345" }), "****45")
})

it("requires a state or territory of the USA by code or name, and accepts any text for other countries", () => {
  for (const state of ["NY", "ny", "DC", "PR", "AE", "New York", "west  virginia"])
    assert.deepStrictEqual(faults({ state }), [], state)
  assert.deepStrictEqual(faults({ country: "DEU", state: "ZZ" }), [])
})
