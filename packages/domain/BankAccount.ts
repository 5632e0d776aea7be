/** The bank accounts of users: what is asked of their details, and how much of them is ever shown. */
import { Schema } from "effect"
import { isCountry } from "./Country.ts"
import { isUsState } from "./UsState.ts"

/** The members are named as at the bank and on the wire. */
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

/** A user may have so many that are linked. */
export const maxBankAccounts = 5

/** They are those of the user's documents; null where the identity provider gave none. */
export interface HolderName {
  readonly firstName: string | null
  readonly lastName: string | null
}

export interface DetailFault {
  readonly member: keyof BankDetails
  /** This would be right. */
  readonly expected: string
}

/** Every fault of the details, in the order of their members. */
export const faultsOf = (details: BankDetails, verified: HolderName): ReadonlyArray<DetailFault> =>
  (Object.keys(BankDetails.fields) as ReadonlyArray<keyof BankDetails>).flatMap((member) => {
    const value = details[member]
    const expected = value === undefined ? absent(member, details) : wrong(member, value, verified, details)
    return expected === undefined ? [] : [{ member, expected }]
  })

/**
 * Returns the faults for which the bank refuses a payout to a linked account. Rules became stricter after some accounts were linked;
 * a state was any text once, and the bank decides about the state of those.
 */
export const payoutFaultsOf = (details: BankDetails): ReadonlyArray<DetailFault> =>
  faultsOf(details, { firstName: null, lastName: null }).filter(({ member }) => member !== "state")

/** Whether the provider has told who the user is: payouts to an account whose holder is not known so are held. */
export const isKnown = ({ firstName, lastName }: HolderName): boolean => firstName !== null && lastName !== null

/** As much of the account number as anybody is shown: its last four digits, and never more than half of it. */
export const masked = ({ account_number: number }: BankDetails): string =>
  `****${number.slice(-Math.min(4, Math.floor(number.length / 2)))}`

const absent = (member: keyof BankDetails, { country }: BankDetails): string | undefined =>
  member === "state" && country === "USA" ? "a state, since the country is USA" : undefined

const wrong = (
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
      return isCountry(value) ? undefined : "a country as three capital letters of ISO 3166, such as USA"
    case "first_name":
      return line(value, 100) ?? holder(value, verified.firstName)
    case "last_name":
      return line(value, 100) ?? holder(value, verified.lastName)
    case "street_line_1":
      return line(value, 200) ?? (/\d/.test(value) ? undefined : "a street with a number")
    case "state":
      return line(value, 100) ?? (country !== "USA" || isUsState(value) ? undefined : "a state of the USA, such as NY")
    case "street_line_2":
      return line(value, 200)
    case "postal_code":
      return line(value, 20)
    default:
      return line(value, 100)
  }
}

const line = (value: string, most: number): string | undefined =>
  value.trim() !== "" && value.length <= most && !/[\p{C}\p{Zl}\p{Zp}]/u.test(value)
    ? undefined
    : `a line of 1 to ${most} characters`

const holder = (value: string, verified: string | null): string | undefined =>
  verified === null || compared(value) === compared(verified) ? undefined : "the name that the user was verified by"

/** Names are the same without letter case, accents and spaces. */
const compared = (name: string): string =>
  name
    .normalize("NFD")
    .replaceAll(/[\p{M}\s]/gu, "")
    .toLowerCase()

const expectedRoutingNumber =
  "nine digits, not all zeros: the first two are 00 to 12, 21 to 32, 61 to 72 or 80, the last is the ABA checksum"

/** The first two digits that the American Bankers Association assigns. */
const prefixes: ReadonlyArray<readonly [first: number, last: number]> = [
  [0, 12],
  [21, 32],
  [61, 72],
  [80, 80]
]

/** The weights 3, 7 and 1 return every three digits. */
const isRoutingNumber = (text: string): boolean => {
  if (!/^\d{9}$/.test(text) || !/[1-9]/.test(text)) return false
  const prefix = Number(text.slice(0, 2))
  if (!prefixes.some(([first, last]) => prefix >= first && prefix <= last)) return false
  const sum = Array.from(text, (digit, at) => Number(digit) * [3, 7, 1][at % 3]!).reduce((one, other) => one + other)
  return sum % 10 === 0
}
