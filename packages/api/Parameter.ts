/** Query parameters, which all arrive as text. */
import * as Text from "@venue/domain/Text"
import { DateTime, Option, Schema, SchemaTransformation } from "effect"

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

/** A moment of a query, RFC 3339, as Unix milliseconds. */
export const Moment = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i, {
    toJsonSchema: () => ({ format: "date-time" })
  })
).pipe(
  Schema.decodeTo(Schema.DateTimeUtcFromString),
  Schema.decodeTo(
    Schema.Finite,
    SchemaTransformation.transform({
      decode: (moment: DateTime.Utc) => DateTime.toEpochMillis(moment),
      encode: (millis: number) => DateTime.makeUnsafe(millis)
    })
  )
)

/** What the text of a parameter is, for the description of an endpoint: a client need not know that it travels as text. */
export const described = (schemas: Readonly<Record<string, object>>) => (operation: Record<string, unknown>) => ({
  ...operation,
  parameters: (operation["parameters"] as ReadonlyArray<{ readonly name: string }>).map((parameter) => {
    const schema = schemas[parameter.name]
    return schema === undefined ? parameter : { ...parameter, schema }
  })
})
