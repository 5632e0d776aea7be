/** The values that a schema accepts, in words: `a number above 0`. */
import type { Schema, SchemaAST } from "effect"
import { type Bounds, boundsOf, filtersOf } from "./Nearest.ts"

/** Gives a schema its own words, such as those for a rule that an endpoint checks later. */
export const expecting = <S extends Schema.Top>(schema: S, words: string): S["Rebuild"] =>
  schema.annotate({ [mark]: words })

const mark = "@venue/api/Expected"

/** Returns a noun phrase. */
export const expectedOf = (ast: SchemaAST.AST): string => {
  const filters = (ast.checks ?? []).flatMap(filtersOf)
  // The library keeps an annotation with the last check, where there is one.
  const own = [ast, ...filters].map(({ annotations }) => annotations?.[mark]).find((words) => words !== undefined)
  if (typeof own === "string") return own
  switch (ast._tag) {
    case "Suspend":
      return expectedOf(ast.thunk())
    case "Union":
      return wordsOf(ast.annotations) ?? [...new Set(ast.types.map(expectedOf))].join(" or ")
    case "Number":
      return [wordsOf(ast.annotations) ?? number(filters), ...phrasesOf(filters)].join(", ")
    default:
      return wordsOf(ast.annotations) ?? checked(ast, filters)
  }
}

type Filters = ReadonlyArray<SchemaAST.Filter<unknown>>

const nouns: { readonly [Tag in SchemaAST.AST["_tag"]]?: string } = {
  String: "a string",
  Boolean: "true or false",
  Null: "null",
  Arrays: "a list",
  Objects: "an object"
}

/** Phrases that start with an article or a number are nouns of their own: `a UUID`, `1 to 64 printable characters`. */
const checked = (ast: SchemaAST.AST, filters: Filters): string => {
  const noun = ast._tag === "Literal" ? String(ast.literal) : (nouns[ast._tag] ?? "a value")
  const phrases = phrasesOf(filters)
  const counted = length(ast._tag === "Arrays" ? ["entry", "entries"] : ["character", "characters"], filters)
  const isNamed = phrases.some((phrase) => /^(?:an? |\d)/.test(phrase))
  return [
    ...(isNamed ? [] : [`${noun}${counted}`]),
    ...phrases,
    ...(isNamed && counted !== "" ? [counted.trim()] : [])
  ].join(", ")
}

/** Bounds are read from the annotations by which the library makes up values. */
const number = (filters: Filters): string => {
  const bounds = filters.map(boundsOf)
  const noun = bounds.some((bound) => bound.number === "integer") ? "a whole number" : "a number"
  const least = bounds.reduce(
    tighter((one, other) => Number(one.minimum) > Number(other.minimum), "minimum"),
    undefined
  )
  const most = bounds.reduce(
    tighter((one, other) => Number(one.maximum) < Number(other.maximum), "maximum"),
    undefined
  )
  const isAbove = least?.exclusiveMinimum === true
  const isBelow = most?.exclusiveMaximum === true
  if (least !== undefined && most !== undefined && !isAbove && !isBelow) {
    return `${noun} between ${least.minimum} and ${most.maximum}`
  }
  const from = least === undefined ? [] : [`${isAbove ? "above" : "of at least"} ${least.minimum}`]
  const to = most === undefined ? [] : [`${isBelow ? "below" : "at most"} ${most.maximum}`]
  return [noun, [...from, ...to].join(" and ")].join(" ").trim()
}

const tighter =
  (isTighter: (one: Bounds, other: Bounds) => boolean, name: "minimum" | "maximum") =>
  (known: Bounds | undefined, bound: Bounds): Bounds | undefined =>
    typeof bound[name] === "number" && (known === undefined || isTighter(bound, known)) ? bound : known

/** ` of 1 to 64 characters`, or nothing. */
const length = ([one, many]: readonly [one: string, many: string], filters: Filters): string => {
  const bounds = filters.map(boundsOf)
  const least = bounds.find(({ minLength }) => typeof minLength === "number")?.minLength
  const most = bounds.find(({ maxLength }) => typeof maxLength === "number")?.maxLength
  if (least === undefined) return most === undefined ? "" : ` of at most ${most} ${many}`
  if (most === undefined) return ` of at least ${least} ${least === 1 ? one : many}`
  return least === most ? ` of ${least} ${many}` : ` of ${least} to ${most} ${many}`
}

/** What checks without bounds expect. */
const phrasesOf = (filters: Filters): ReadonlyArray<string> =>
  filters.flatMap((filter) => {
    const { annotations } = filter
    const constraint = annotations?.["arbitraryConstraint"]
    const isPhrase = constraint === undefined || "patterns" in (constraint as object)
    return isPhrase ? (wordsOf(annotations) ?? []) : []
  })

const wordsOf = (annotations: object | undefined): string | undefined => {
  const words = (annotations as { readonly expected?: unknown } | undefined)?.expected
  return typeof words === "string" ? words : undefined
}
