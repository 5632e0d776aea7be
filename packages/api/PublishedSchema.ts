/** Rewrites JSON Schemas for publication, so that every tool reads them alike. */

/** Rewrites every schema of a document: flattens annotations, and makes `$` in patterns mean the end of the text. */
export const published = <S extends object>(document: S): S =>
  JSON.parse(JSON.stringify(document), (_, value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? withoutLineEnds(flat(value)) : value
  )

type Fields = Readonly<Record<string, unknown>>

/** Moves annotations from `allOf`, where the library appends them, to the schema itself, where generators read them. */
const flat = (schema: Fields): Fields => {
  const { allOf, ...own } = schema
  if (!Array.isArray(allOf)) return schema
  const [annotated, others] = [allOf.filter(isAnnotation), allOf.filter((part) => !isAnnotation(part))]
  const merged: Fields = Object.assign({}, ...annotated, own)
  return others.length === 0 ? merged : { ...merged, allOf: others }
}

const isAnnotation = (schema: Fields): boolean => Object.keys(schema).every((key) => annotations.has(key))

const annotations: ReadonlySet<string> = new Set(["title", "description", "default", "examples"])

/**
 * Forbids line ends in text whose pattern ends with `$`. In JavaScript, Go and Rust, `$` matches only at the end of
 * the text; in Python, Java, .NET and PCRE, also before a final line feed; in Ruby, before every line feed.
 */
const withoutLineEnds = (schema: Fields): Fields =>
  typeof schema["pattern"] === "string" && schema["pattern"].endsWith("$") ? { ...schema, not: lineEnd } : schema

/**
 * Every character that ends a line in some regular-expression engine. Written unescaped, because engines differ in
 * their escapes.
 */
const lineEnd = { pattern: "[\n\r\u0085\u2028\u2029]" }
