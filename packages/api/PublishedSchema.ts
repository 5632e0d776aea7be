/** JSON Schemas as they are published: read alike by every tool, and as flat as their content allows. */

/** Rewrites every schema of a document: annotations stand beside what they describe, and text ends where `$` says. */
export const published = <S extends object>(document: S): S =>
  JSON.parse(JSON.stringify(document), (_, value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? withoutLineEnds(flat(value)) : value
  )

type Fields = Readonly<Record<string, unknown>>

/** The library appends annotations of a member to `allOf`; generators look for them at the member. */
const flat = (schema: Fields): Fields => {
  const { allOf, ...own } = schema
  if (!Array.isArray(allOf)) return schema
  const [told, others] = [allOf.filter(isAnnotation), allOf.filter((part) => !isAnnotation(part))]
  const merged: Fields = Object.assign({}, ...told, own)
  return others.length === 0 ? merged : { ...merged, allOf: others }
}

const isAnnotation = (schema: Fields): boolean => Object.keys(schema).every((key) => annotations.has(key))

const annotations: ReadonlySet<string> = new Set(["title", "description", "default", "examples"])

/**
 * Adds to each pattern with an end that the text has no line ends. `$` is the end of the text in JavaScript, Go and Rust,
 * but matches before a last line feed in Python, Java, .NET and PCRE, and before each one in Ruby.
 */
const withoutLineEnds = (schema: Fields): Fields =>
  typeof schema["pattern"] === "string" && schema["pattern"].endsWith("$") ? { ...schema, not: lineEnd } : schema

/** Every character that ends a line for some engine, as itself: escapes of it differ. */
const lineEnd = { pattern: "[\n\r\u0085\u2028\u2029]" }
