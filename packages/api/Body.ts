/** Schemas that many REST bodies are made of. */
import * as Rfc3339 from "@venue/domain/Rfc3339"
import { Schema, SchemaTransformation } from "effect"
import * as Text from "@venue/domain/Text"
import * as Digits from "./Digits.ts"

/** In requests it is accepted and ignored; in answers it links to the body's own description. */
export const SchemaLink = Schema.optionalKey(
  Schema.String.annotate({
    description: "Address of the JSON Schema of the body. Requests may leave it out; it is ignored there.",
    format: "uri",
    readOnly: true
  })
)

export const SymbolName = Schema.String.annotate({ description: "Symbol of the market.", examples: ["GOLD-USD"] })

export const RowCount = Schema.Int.annotate({ description: "Number of rows in this answer." })

/** Header of answers that may be cached. */
export const CacheControl = Schema.String.annotate({ description: "How long the answer may be cached." })

/** Arrays may be `null` in the description, but we send none that are. */
export const Rows = <S extends Schema.Top>(row: S) => Schema.NullOr(Schema.Array(row))

/** ISO 8601 in UTC. */
export const Moment = Schema.String.annotate({ format: "date-time" })

export const Uuid = Schema.String.check(Schema.isUUID())

/** A UUID that the client chooses to make a request count once. The one of zeros is what a client sends that chose none. */
export const ChosenId = Uuid.check(Text.matches("[1-9A-Fa-f]", "a UUID that is not all zeros"))

/** A number that may also come as a plain decimal in a string, as clients send it who have no exact numbers. */
export const NumberOrText = <S extends Schema.Codec<number, number>>(number: S) =>
  Schema.Union([number, DecimalText.pipe(Schema.decodeTo(number, fromText))])

const DecimalText = Schema.String.check(
  Schema.makeFilter((text) => Digits.numberOf(text) !== undefined && !ninthDecimal.test(text), {
    expected: "a number, or a plain decimal of at most eight decimals in a string",
    toJsonSchema: () => ({ pattern: "^-?[0-9]+([.][0-9]+)?$", maxLength: Digits.decimalLimit })
  })
)

/** A decimal in a string is exact (rule 0.5): no amount, price or quantity has more than eight. */
const ninthDecimal = /\.\d{8}0*[1-9]/

const fromText = SchemaTransformation.transform({
  decode: (text: string) => Digits.numberOf(text)!,
  encode: Digits.plain
})

/** A day that there is, such as `2026-11-26`. */
export const Day = Schema.String.check(
  Schema.makeFilter((text) => Rfc3339.millisOfDay(text) !== undefined, {
    expected: "a day that its month has, such as 2026-11-26",
    toJsonSchema: () => ({ format: "date" })
  })
)
