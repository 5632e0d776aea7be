/** Settings that operators change while the venue runs, with the parsers of their texts. */
import { Schema, SchemaTransformation } from "effect"
import { firstOperator } from "./Operator.ts"

/** Text of a whole number from `minimum` to `maximum`. */
const whole = (minimum: number, maximum: number): Schema.Codec<number, string> =>
  Schema.String.check(
    Schema.makeFilter((text) => /^\d{1,15}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum, {
      expected: `a whole number, ${minimum} to ${maximum}`
    })
  ).pipe(Schema.decodeTo(Schema.Number, SchemaTransformation.transform({ decode: Number, encode: String })))

const countries: Schema.Codec<ReadonlyArray<string>, string> = Schema.String.check(
  Schema.makeFilter((text) => listed(text).every((code) => /^[A-Z]{2}$/.test(code)), {
    expected: "country codes of two capital letters, separated by commas"
  })
).pipe(
  Schema.decodeTo(
    Schema.Array(Schema.String),
    SchemaTransformation.transform({
      decode: (text: string): ReadonlyArray<string> => [...new Set(listed(text))].toSorted(),
      encode: (codes: ReadonlyArray<string>) => codes.join(",")
    })
  )
)

const onOff: Schema.Codec<boolean, string> = Schema.Literals(["on", "off"]).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform({
      decode: (text: "on" | "off") => text === "on",
      encode: (value: boolean) => (value ? ("on" as const) : ("off" as const))
    })
  )
) as Schema.Codec<boolean, string>

const version: Schema.Codec<string> = Schema.String.check(
  Schema.makeFilter((text) => /^[\x20-\x7e]{1,100}$/.test(text), { expected: "1 to 100 ASCII characters" })
)

/** A secret's text; empty for no secret. */
const secret: Schema.Codec<string> = Schema.String.check(
  Schema.makeFilter((text) => text.length <= 100_000 && !text.includes("\0"), {
    expected: "at most 100,000 characters"
  })
)

const listed = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")

interface Definition<A> {
  /** Name of the environment variable with the initial value, and of the setting in `PUT /settings`. */
  readonly name: string
  readonly codec: Schema.Codec<A, string>
  /** Text of the value of an unset setting. */
  readonly default: string
  readonly isSecret: boolean
}

const plain = <A>(name: string, codec: Schema.Codec<A, string>, usual: string): Definition<A> => ({
  name,
  codec,
  default: usual,
  isSecret: false
})
const secretOf = (name: string): Definition<string> => ({ name, codec: secret, default: "", isSecret: true })

export const definitions = {
  maxOpenOrdersPerSymbol: plain("VENUE_MAX_OPEN_ORDERS_PER_SYMBOL", whole(0, 1_000_000), "200"),
  maxOpenOrdersPerAccount: plain("VENUE_MAX_OPEN_ORDERS_PER_ACCOUNT", whole(0, 1_000_000), "1000"),
  termsVersion: plain("VENUE_TERMS_VERSION", version, "1"),
  blockedCountries: plain("VENUE_BLOCKED_COUNTRIES", countries, ""),
  newAddressHoldHours: plain("VENUE_NEW_ADDRESS_HOLD_HOURS", whole(0, 8_760), "24"),
  secondFactorToFund: plain("VENUE_SECOND_FACTOR_TO_FUND", onOff, "off"),
  /** In whole USD. */
  twoPeopleAbove: plain("VENUE_TWO_PEOPLE_ABOVE", whole(0, 1_000_000_000), "250000"),
  /** Text of the file of price sources. */
  priceSources: secretOf("VENUE_PRICE_SOURCES"),
  adminToken: secretOf("VENUE_ADMIN_TOKEN"),
  captchaSecret: secretOf("VENUE_CAPTCHA_SECRET"),
  identityKey: secretOf("VENUE_IDENTITY_KEY"),
  identityCallbackKey: secretOf("VENUE_IDENTITY_CALLBACK_KEY")
}

export type Field = keyof typeof definitions
export type RunningSettings = {
  readonly [F in Field]: (typeof definitions)[F] extends Definition<infer A> ? A : never
}

/** Changes that weaken a protection of withdrawals. */
const weakening: { readonly [F in Field]?: (before: RunningSettings[F], after: RunningSettings[F]) => boolean } = {
  newAddressHoldHours: (before, after) => after < before,
  secondFactorToFund: (before, after) => before && !after,
  twoPeopleAbove: (before, after) => after > before,
  // The first operator counts as a decider: another operator with that token could decide twice.
  adminToken: (before, after) => before !== after
}

/**
 * Returns the number of operators who must make the same change of a setting. The texts are valid. Both are secret if
 * the setting is.
 */
export const peopleNeeded = (field: Field, before: string, after: string, operator: string): number => {
  if (field === "adminToken" && operator === firstOperator) return 1
  const codec = definitions[field].codec as Schema.Codec<never, string>
  const weakens = weakening[field] as ((before: never, after: never) => boolean) | undefined
  return weakens?.(Schema.decodeSync(codec)(before), Schema.decodeSync(codec)(after)) === true ? 2 : 1
}

export const fields = Object.keys(definitions) as ReadonlyArray<Field>

/** Returns the field of a setting's name, or undefined for another name. */
export const fieldOf = (name: string): Field | undefined => fields.find((field) => definitions[field].name === name)
