/**
 * Words of requests about money that comes in and goes out. Another word is 400 and not 422, so the schemas take any text
 * and the endpoints look at it; the description lists those that there are.
 */
import { DepositRail, Network, PayoutRail } from "@venue/domain/Rail"
import { Result, Schema } from "effect"
import { shown } from "../Fault.ts"
import type { BadRequest, Page, Problems } from "../Problem.ts"

const oneOf = (words: ReadonlyArray<string>) =>
  Schema.String.annotate({ description: `${words.map((word) => `\`${word}\``).join(" or ")}.` })

/** Where a request names none. */
export const defaultNetwork: Network = "ARBITRUM_ONE"

/** Money moves in this currency alone. */
const currencies = ["usd"]
export const NetworkName = oneOf(Network.literals)
export const CurrencyName = oneOf(currencies)
export const PayoutRailName = oneOf(PayoutRail.literals)

export const currencyParameter = { type: "string", enum: currencies }
export const depositRailParameter = { type: "string", enum: DepositRail.literals }

interface Kind<Word extends string> {
  readonly page: Page
  readonly what: string
  readonly words: ReadonlyArray<Word>
}

export const network: Kind<Network> = { page: "invalid-network", what: "a network", words: Network.literals }
export const currency: Kind<string> = { page: "invalid-currency", what: "the currency", words: currencies }
export const depositRail: Kind<DepositRail> = {
  page: "invalid-payment-rail",
  what: "a payment rail",
  words: DepositRail.literals
}
export const payoutRail: Kind<PayoutRail> = { ...depositRail, words: PayoutRail.literals }

/** The word of this kind, or what was wrong with it; one that is missing is no word either. */
export const read = <Word extends string>(
  problems: Problems,
  { page, what, words }: Kind<Word>,
  location: string,
  sent: string | undefined
): Result.Result<Word, BadRequest> => {
  const word = words.find((one) => one === sent)
  if (word !== undefined) return Result.succeed(word)
  const message = `Expected ${what}: ${words.join(" or ")}`
  const error = { location, message, ...(sent === undefined ? {} : { value: shown(sent) }) }
  return Result.fail(problems.invalidValue(page, [error]))
}
