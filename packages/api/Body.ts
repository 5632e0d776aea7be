/** Schemas shared by many REST bodies. */
import * as Rfc3339 from "@venue/domain/Rfc3339"
import { Schema, SchemaTransformation } from "effect"
import * as Text from "@venue/domain/Text"
import * as Digits from "./Digits.ts"

/** Member `$schema`: ignored in requests. In responses, it is the URL of the body's JSON Schema. */
export const SchemaLink = Schema.optionalKey(
  Schema.String.annotate({
    description: "URL of the body's JSON Schema. Optional and ignored in requests.",
    format: "uri",
    readOnly: true
  })
)

/** Market symbol in a body. */
export const SymbolName = Schema.String.annotate({ description: "Market symbol.", examples: ["GOLD-USD"] })

/** Member `count` of a list. */
export const RowCount = Schema.Int.annotate({ description: "Number of rows in this response." })

/** Header `cache-control` of a response. */
export const CacheControl = Schema.String.annotate({
  description: "Cache directives of the response, such as `public, max-age=5`; `max-age` is in seconds."
})

/** List of rows. The specification allows `null`, but the venue always sends an array. */
export const Rows = <S extends Schema.Top>(row: S) => Schema.NullOr(Schema.Array(row))

/** Time in a response, ISO 8601 in UTC. */
export const Moment = Schema.String.annotate({ format: "date-time" })

/** UUID in any letter case. */
export const Uuid = Schema.String.check(Schema.isUUID())

/** UUID that a client chooses to make a request idempotent; rejects the all-zero UUID, which is an unset value. */
export const ChosenId = Uuid.check(Text.matches("[1-9A-Fa-f]", "a UUID that is not all zeros"))

/** Number or plain decimal text. Text is exact, whereas a JSON number is parsed as a double. */
export const NumberOrText = <S extends Schema.Codec<number, number>>(number: S) =>
  Schema.Union([number, DecimalText.pipe(Schema.decodeTo(number, fromText))])

const DecimalText = Schema.String.check(
  Schema.makeFilter((text) => Digits.numberOf(text) !== undefined && !ninthDecimal.test(text), {
    expected: "a number, or a string that holds a plain decimal with at most eight decimal places",
    toJsonSchema: () => ({ pattern: "^-?[0-9]+([.][0-9]+)?$", maxLength: Digits.decimalLimit })
  })
)

/** Matches text with nine or more decimals; an amount, price or quantity has at most eight (rule 0.5). */
const ninthDecimal = /\.\d{8}0*[1-9]/

const fromText = SchemaTransformation.transform({
  decode: (text: string) => Digits.numberOf(text)!,
  encode: Digits.plain
})

/** Calendar day such as `2026-11-26`. */
export const Day = Schema.String.check(
  Schema.makeFilter((text) => Rfc3339.millisOfDay(text) !== undefined, {
    expected: "an existing calendar day such as 2026-11-26",
    toJsonSchema: () => ({ format: "date" })
  })
)
