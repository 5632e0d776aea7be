/** Query parameters, which all arrive as text. */
import * as Text from "@venue/domain/Text"
import * as Rfc3339 from "@venue/domain/Rfc3339"
import { Option, Schema, SchemaTransformation } from "effect"
import { instant } from "./Digits.ts"
import { expecting } from "./Expected.ts"

/** A query parameter that may be left out; left empty, it was left out. */
export const Optional = <S extends Schema.Codec<unknown, string>>(schema: S) =>
  Schema.optionalKey(Schema.String).pipe(
    Schema.decodeTo(
      Schema.optionalKey(schema),
      SchemaTransformation.transformOptional({
        decode: Option.filter((text: string) => text !== ""),
        encode: (text: Option.Option<string>) => text
      })
    )
  )

/** Words written in upper case here, in any letter case in a query. */
export const AnyCase = <S extends Schema.Codec<string, string>>(words: S) =>
  Schema.String.pipe(
    Schema.decodeTo(Schema.String, SchemaTransformation.toUpperCase()),
    Schema.decodeTo(words, SchemaTransformation.passthroughSupertype())
  )

/** A whole number in a query, in plain digits: what JavaScript also reads as one, such as `1e3` or `0x10`, is refused. */
export const WholeNumber = (bounds: { readonly minimum: number; readonly maximum: number }) =>
  Schema.String.check(Text.matches("^-?[0-9]+$", "a whole number in plain digits")).pipe(
    Schema.decodeTo(Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween(bounds)))
  )

const expectedMoment =
  "a date-time of RFC 3339 with a day that its month has and hours 00 to 23, such as 2026-11-27T10:30:00Z"

/** A date-time of RFC 3339 in a query or body, as Unix milliseconds. */
export const Moment = expecting(
  Schema.String.check(
    Schema.makeFilter((text) => Rfc3339.millisOfDateTime(text) !== undefined, {
      expected: expectedMoment,
      toJsonSchema: () => ({ format: "date-time" })
    })
  ).pipe(
    Schema.decodeTo(
      Schema.Finite,
      SchemaTransformation.transform({
        decode: (text: string) => Rfc3339.millisOfDateTime(text)!,
        encode: instant
      })
    )
  ),
  expectedMoment
)

/** What the text of a parameter is, for the description of an endpoint: a client need not know that it travels as text. */
export const described = (schemas: Readonly<Record<string, object>>) => (operation: Record<string, unknown>) => ({
  ...operation,
  parameters: (operation["parameters"] as ReadonlyArray<{ readonly name: string }>).map((parameter) => {
    const schema = schemas[parameter.name]
    return schema === undefined ? parameter : { ...parameter, schema }
  })
})
