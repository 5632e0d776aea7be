/** English noun phrases for the values that a schema accepts, such as `a number above 0`. */
import type { Schema, SchemaAST } from "effect"
import { type Bounds, boundsOf, filtersOf } from "./Nearest.ts"

/** Overrides a schema's phrase, for instance to name a rule that the endpoint checks later. */
export const expecting = <S extends Schema.Top>(schema: S, words: string): S["Rebuild"] =>
  schema.annotate({ [mark]: words })

const mark = "@venue/api/Expected"

/** Returns a schema's noun phrase. */
export const expectedOf = (ast: SchemaAST.AST): string => {
  const filters = (ast.checks ?? []).flatMap(filtersOf)
  // `annotate` stores the annotation on a schema's last check if the schema has checks.
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

/** Joins a schema's noun and its checks' phrases; `a UUID` or `1 to 64 characters` replaces the noun. */
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

/** Describes a number by the bounds that its checks carry for generating arbitrary values. */
const number = (filters: Filters): string => {
  const bounds = filters.map(boundsOf)
  const noun = bounds.some((bound) => bound.number === "integer") ? "a whole number" : "a number"
  const least = bounds.reduce(
    tighter((bound, known) => Number(bound.minimum) > Number(known.minimum), "minimum"),
    undefined
  )
  const most = bounds.reduce(
    tighter((bound, known) => Number(bound.maximum) < Number(known.maximum), "maximum"),
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
  (isTighter: (bound: Bounds, known: Bounds) => boolean, name: "minimum" | "maximum") =>
  (known: Bounds | undefined, bound: Bounds): Bounds | undefined =>
    typeof bound[name] === "number" && (known === undefined || isTighter(bound, known)) ? bound : known

/** Returns a suffix such as ` of 1 to 64 characters`; "" without bounds. */
const length = ([singular, plural]: readonly [singular: string, plural: string], filters: Filters): string => {
  const bounds = filters.map(boundsOf)
  const least = bounds.find(({ minLength }) => typeof minLength === "number")?.minLength
  const most = bounds.find(({ maxLength }) => typeof maxLength === "number")?.maxLength
  if (least === undefined) return most === undefined ? "" : ` of at most ${most} ${plural}`
  if (most === undefined) return ` of at least ${least} ${least === 1 ? singular : plural}`
  return least === most ? ` of ${least} ${plural}` : ` of ${least} to ${most} ${plural}`
}

/** Returns the phrases of the checks that have no numeric bounds. */
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
