/** Users' bank accounts: validation of the details, and the part of the account number that is shown. */
import { Schema } from "effect"
import { isCountry } from "./Country.ts"
import { isUsState } from "./UsState.ts"

/** Details of a bank account, with the member names that the bank and the REST API use. */
export const BankDetails = Schema.Struct({
  first_name: Schema.String,
  last_name: Schema.String,
  routing_number: Schema.String,
  bank_name: Schema.String,
  account_number: Schema.String,
  type: Schema.String,
  street_line_1: Schema.String,
  street_line_2: Schema.optionalKey(Schema.String),
  country: Schema.String,
  state: Schema.optionalKey(Schema.String),
  city: Schema.String,
  postal_code: Schema.String
})
export type BankDetails = typeof BankDetails.Type

export const maxBankAccounts = 5

/** Name in the user's identity documents; null if the identity provider supplied none. */
export interface HolderName {
  readonly firstName: string | null
  readonly lastName: string | null
}

/** An invalid member of the details. */
export interface DetailFault {
  readonly member: keyof BankDetails
  /** Description of a valid value. */
  readonly expected: string
}

/** Returns every invalid member of the details, in schema order. Names must match `verified` where it is not null. */
export const faultsOf = (details: BankDetails, verified: HolderName): ReadonlyArray<DetailFault> =>
  (Object.keys(BankDetails.fields) as ReadonlyArray<keyof BankDetails>).flatMap((member) => {
    const value = details[member]
    const expected =
      value === undefined ? missingExpectation(member, details) : invalidExpectation(member, value, verified, details)
    return expected === undefined ? [] : [{ member, expected }]
  })

/**
 * Returns the faults for which the bank would reject a payout to a linked account. Older accounts might violate rules
 * that were added later. `state` is exempt: it was free text in earlier releases, and the bank validates it.
 */
export const payoutFaultsOf = (details: BankDetails): ReadonlyArray<DetailFault> =>
  faultsOf(details, { firstName: null, lastName: null }).filter(({ member }) => member !== "state")

/** Returns true if the identity provider supplied both names. A payout without a verified holder is held. */
export const isKnown = ({ firstName, lastName }: HolderName): boolean => firstName !== null && lastName !== null

/** Returns the masked account number, which shows the last four digits but at most half of all digits. */
export const masked = ({ account_number: number }: BankDetails): string =>
  `****${number.slice(-Math.min(4, Math.floor(number.length / 2)))}`

/** Describes a valid value for a missing member; undefined if the member is optional. */
const missingExpectation = (member: keyof BankDetails, { country }: BankDetails): string | undefined =>
  member === "state" && country === "USA" ? "a state, because the country is USA" : undefined

/** Describes a valid value if the member's value is invalid; otherwise undefined. */
const invalidExpectation = (
  member: keyof BankDetails,
  value: string,
  verified: HolderName,
  { country }: BankDetails
): string | undefined => {
  switch (member) {
    case "routing_number":
      return isRoutingNumber(value) ? undefined : expectedRoutingNumber
    case "account_number":
      return /^\d{4,17}$/.test(value) && /[1-9]/.test(value) ? undefined : "4 to 17 digits that are not all zeros"
    case "type":
      return value === "checking" || value === "savings" ? undefined : "checking or savings"
    case "country":
      return isCountry(value) ? undefined : "a country as a three-letter ISO 3166 code in capitals, such as USA"
    case "first_name":
      return lineExpectation(value, 100) ?? holderExpectation(value, verified.firstName)
    case "last_name":
      return lineExpectation(value, 100) ?? holderExpectation(value, verified.lastName)
    case "street_line_1":
      return lineExpectation(value, 200) ?? (/\d/.test(value) ? undefined : "a street with a house number")
    case "state":
      return (
        lineExpectation(value, 100) ?? (country !== "USA" || isUsState(value) ? undefined : "a US state, such as NY")
      )
    case "street_line_2":
      return lineExpectation(value, 200)
    case "postal_code":
      return lineExpectation(value, 20)
    default:
      return lineExpectation(value, 100)
  }
}

const lineExpectation = (value: string, most: number): string | undefined =>
  value.trim() !== "" && value.length <= most && !/[\p{C}\p{Zl}\p{Zp}]/u.test(value)
    ? undefined
    : `one line of 1 to ${most} characters`

const holderExpectation = (value: string, verified: string | null): string | undefined =>
  verified === null || normalized(value) === normalized(verified)
    ? undefined
    : "the name from the user's identity verification"

/** Normalizes a name for comparison: ignores letter case, accents and spaces. */
const normalized = (name: string): string =>
  name
    .normalize("NFD")
    .replaceAll(/[\p{M}\s]/gu, "")
    .toLowerCase()

const expectedRoutingNumber =
  "nine digits, not all zeros: the first two are 00 to 12, 21 to 32, 61 to 72 or 80, and the last is the ABA checksum digit"

/** Ranges of the first two digits that the American Bankers Association assigns. */
const prefixes: ReadonlyArray<readonly [first: number, last: number]> = [
  [0, 12],
  [21, 32],
  [61, 72],
  [80, 80]
]

/** Checks the prefix and the ABA checksum: the weights 3, 7 and 1 repeat every three digits, and 10 divides the sum. */
const isRoutingNumber = (text: string): boolean => {
  if (!/^\d{9}$/.test(text) || !/[1-9]/.test(text)) return false
  const prefix = Number(text.slice(0, 2))
  if (!prefixes.some(([first, last]) => prefix >= first && prefix <= last)) return false
  const sum = Array.from(text, (digit, at) => Number(digit) * [3, 7, 1][at % 3]!).reduce((total, term) => total + term)
  return sum % 10 === 0
}
