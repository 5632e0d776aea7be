/**
 * Fixed words in requests about deposits and withdrawals, such as networks. An unknown word gets status 400 instead
 * of 422: the schemas accept any text, the endpoints check it, and the description lists the words.
 */
import { DepositRail, Network, PayoutRail } from "@venue/domain/Rail"
import { Result, Schema, type SchemaAST } from "effect"
import { expecting } from "../Expected.ts"
import { shown } from "../Fault.ts"
import type { BadRequest, ErrorDetail, Problems } from "../Problem.ts"
import type { Page } from "../ProblemPages.ts"

/** Default network of a request. */
export const defaultNetwork: Network = "ARBITRUM_ONE"

interface Kind<Word extends string> {
  readonly page: Page
  readonly what: string
  readonly words: ReadonlyArray<Word>
}

export const network: Kind<Network> = { page: "invalid-network", what: "a network", words: Network.literals }
/** The only currency. */
export const currency: Kind<string> = { page: "invalid-currency", what: "the currency", words: ["usd"] }
export const depositRail: Kind<DepositRail> = {
  page: "invalid-payment-rail",
  what: "a payment rail",
  words: DepositRail.literals
}
export const payoutRail: Kind<PayoutRail> = { ...depositRail, words: PayoutRail.literals }

const member = (kind: Kind<string>, isRequired: boolean) =>
  expecting(
    Schema.String.annotate({
      description: descriptionOf(kind),
      [mark]: { kind, isRequired } satisfies Marked
    }),
    kind.words.join(" or ")
  )

/** Returns the description of a word, such as "Payment rail: `ach_push` or `wire`." */
function descriptionOf({ what, words }: Kind<string>): string {
  const noun = what.replace(/^(?:a|the) /, "")
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}: ${words.map((word) => `\`${word}\``).join(" or ")}.`
}

const mark = "@venue/api/treasury/Word"
interface Marked {
  readonly kind: Kind<string>
  /** Whether the member is required. The schema accepts its absence, so that the endpoint can refuse it with 400. */
  readonly isRequired: boolean
}

export const NetworkName = member(network, false)
export const CurrencyName = member(currency, false)
export const PayoutRailName = member(payoutRail, false)
export const RequiredCurrency = member(currency, true)
export const RequiredDepositRail = member(depositRail, true)

export const currencyParameter = { type: "string", enum: currency.words, description: descriptionOf(currency) }
export const depositRailParameter = {
  type: "string",
  enum: DepositRail.literals,
  description: descriptionOf(depositRail)
}

/** Returns the word of this kind, or its fault; an absent word is also a fault. */
export const read = <Word extends string>(
  problems: Problems,
  kind: Kind<Word>,
  location: string,
  sent: string | undefined
): Result.Result<Word, BadRequest> => {
  const word = kind.words.find((known) => known === sent)
  return word === undefined
    ? Result.fail(problems.invalidValue(kind.page, [fault(kind, location, sent)]))
    : Result.succeed(word)
}

/** Returns the faults of fixed words in one part of a request that failed its schema. */
export const wordFaults = (ast: SchemaAST.AST, place: string, sent: unknown): ReadonlyArray<ErrorDetail> => {
  if (ast._tag !== "Objects") return []
  const members = (typeof sent === "object" && sent !== null ? sent : {}) as Readonly<Record<PropertyKey, unknown>>
  return ast.propertySignatures.flatMap(({ name, type }) => {
    const marked = type.annotations?.[mark] as Marked | undefined
    if (marked === undefined) return []
    const { isRequired, kind } = marked
    const value = Object.hasOwn(members, name) ? members[name] : undefined
    const isAbsent = value === undefined || value === ""
    if (isAbsent ? !isRequired : typeof value !== "string" || kind.words.includes(value)) return []
    return [fault(kind, `${place}.${String(name)}`, value as string | undefined)]
  })
}

const fault = ({ what, words }: Kind<string>, location: string, sent: string | undefined): ErrorDetail => {
  const expected = words.join(" or ")
  return sent === undefined || sent === ""
    ? { location, message: `${location.slice(location.indexOf(".") + 1)} is required: ${expected}` }
    : { location, message: `Expected ${what}: ${expected}`, value: shown(sent) }
}
