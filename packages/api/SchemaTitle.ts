/**
 * Adds titles to nested schemas. Code generators name a type after its title, and give only a number to a type
 * without a title.
 */

type Json = Readonly<Record<string, unknown>>

/** Adds a title to each nested object, enumeration and union: the name of the outer schema and the path from it. */
export const titled = <S extends object>(schemas: S): S =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, titledAt(schema, name)])) as unknown as S

const titledAt = (schema: unknown, title: string): unknown => {
  if (!isObject(schema)) return schema
  const inner = Object.entries(schema).map(([key, value]) => [key, within(key, value, title)] as const)
  return { ...(isNamed(schema) && schema["title"] === undefined ? { title } : {}), ...Object.fromEntries(inner) }
}

/** Adds titles to the value of a schema keyword. */
const within = (keyword: string, value: unknown, title: string): unknown => {
  if (keyword === "properties" && isObject(value)) {
    const properties = Object.entries(value)
    return Object.fromEntries(properties.map(([name, schema]) => [name, titledAt(schema, title + pascal(name))]))
  }
  if (Array.isArray(value) && unions.includes(keyword))
    return value.map((schema, at) => titledAt(schema, `${title}Option${at + 1}`))
  if (Array.isArray(value) && keyword === "items")
    return value.map((schema, at) => titledAt(schema, `${title}Item${at + 1}`))
  if (keyword === "items") return titledAt(value, `${title}Item`)
  return keyword === "additionalProperties" || keyword === "additionalItems" ? titledAt(value, `${title}Other`) : value
}

/** Whether code generators create a type for the schema. */
const isNamed = (schema: Json): boolean =>
  schema["type"] === "object" || "enum" in schema || unions.some((keyword) => keyword in schema)

const unions = ["anyOf", "oneOf", "allOf"]

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")
