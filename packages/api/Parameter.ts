/** Schemas of query parameters, which arrive as text. */
import * as Text from "@venue/domain/Text"
import * as Rfc3339 from "@venue/domain/Rfc3339"
import { Option, Schema, SchemaTransformation } from "effect"
import { instant } from "./Digits.ts"
import { expecting } from "./Expected.ts"

/** Returns an optional query parameter; an empty value counts as absent. */
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

/** Returns a query parameter for upper-case words that accepts any letter case. */
export const AnyCase = <S extends Schema.Codec<string, string>>(words: S) =>
  Schema.String.pipe(
    Schema.decodeTo(Schema.String, SchemaTransformation.toUpperCase()),
    Schema.decodeTo(words, SchemaTransformation.passthroughSupertype())
  )

/** Returns a query parameter with a whole number in plain digits; refuses `1e3` and `0x10`, which `Number` parses. */
export const WholeNumber = (bounds: { readonly minimum: number; readonly maximum: number }) =>
  Schema.String.check(Text.matches("^-?[0-9]+$", "a whole number in plain digits")).pipe(
    Schema.decodeTo(Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween(bounds)))
  )

const expectedMoment = "a date-time of RFC 3339 with an existing day and hours 00 to 23, such as 2026-11-27T10:30:00Z"

/** RFC 3339 date-time in a query or body, decoded to Unix milliseconds. */
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

/** Replaces parameter schemas in a description, for instance text with the integer that the text represents. */
export const described = (schemas: Readonly<Record<string, object>>) => (operation: Record<string, unknown>) => ({
  ...operation,
  parameters: (operation["parameters"] as ReadonlyArray<{ readonly name: string }>).map((parameter) => {
    const schema = schemas[parameter.name]
    return schema === undefined ? parameter : { ...parameter, schema }
  })
})
