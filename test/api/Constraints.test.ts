/** Tests that published documents state every constraint that their Schemas enforce. */
import { SchemaAST } from "effect"
import { describe, expect, it } from "vitest"
import { everything } from "./PublishedDocuments.ts"

type Json = Readonly<Record<string, unknown>>

/**
 * Returns every subschema that applies at one position: the schema itself, the schemas it refers to, and union
 * members.
 */
const alternatives = (documented: unknown, document: object): ReadonlyArray<Json> => {
  if (typeof documented !== "object" || documented === null) return []
  const schema = documented as Json
  const parts = (["allOf", "anyOf", "oneOf"] as const).flatMap((key) => (schema[key] as ReadonlyArray<unknown>) ?? [])
  const reference = schema["$ref"]
  const target = typeof reference === "string" ? [at(document, reference)] : []
  return [schema, ...[...parts, ...target].flatMap((part) => alternatives(part, document))]
}

const at = (document: object, reference: string): unknown =>
  reference
    .slice(2)
    .split("/")
    .reduce<unknown>((place, key) => (place as Json | undefined)?.[key], document)

/** Returns all schemas at a position: the schema, its encoded side and its union members. */
const nodesOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => [
  ast,
  ...(ast.encoding ?? []).flatMap(({ to }) => nodesOf(to)),
  ...(ast._tag === "Union" ? ast.types.flatMap(nodesOf) : []),
  ...(ast._tag === "Suspend" ? nodesOf(ast.thunk()) : [])
]

const filtersOf = (check: SchemaAST.Check<unknown>): ReadonlyArray<SchemaAST.Filter<unknown>> =>
  check._tag === "Filter" ? [check] : check.checks.flatMap(filtersOf)

const typeOf: Readonly<Record<string, string>> = {
  String: "string",
  Number: "number",
  Boolean: "boolean",
  Objects: "object",
  Arrays: "array"
}

const bounds: Readonly<Record<string, (documented: number, enforced: number) => boolean>> = {
  minimum: (documented, enforced) => documented >= enforced,
  exclusiveMinimum: (documented, enforced) => documented >= enforced,
  minLength: (documented, enforced) => documented >= enforced,
  minItems: (documented, enforced) => documented >= enforced,
  maximum: (documented, enforced) => documented <= enforced,
  exclusiveMaximum: (documented, enforced) => documented <= enforced,
  maxLength: (documented, enforced) => documented <= enforced,
  maxItems: (documented, enforced) => documented <= enforced
}

const isStated = (key: string, value: unknown, stated: ReadonlyArray<Json>): boolean =>
  stated.some((candidate) => {
    const isWithin = bounds[key]
    if (isWithin !== undefined) {
      const choices = candidate["enum"] as ReadonlyArray<number> | undefined
      const documented = candidate[key] ?? candidate[`exclusive${key[0]!.toUpperCase()}${key.slice(1)}`]
      return typeof documented === "number"
        ? isWithin(documented, value as number)
        : (choices?.every((choice) => isWithin(choice, value as number)) ?? false)
    }
    if (key === "type") return candidate["type"] === value || (value === "number" && candidate["type"] === "integer")
    return JSON.stringify(candidate[key]) === JSON.stringify(value)
  })

/**
 * Returns the keywords of a check that the document does not state. A check without keywords must be stated in words:
 * returns its phrase unless a description contains it.
 */
const unstated = (node: SchemaAST.AST, filter: SchemaAST.Filter<unknown>, stated: ReadonlyArray<Json>) => {
  const { expected, toJsonSchema } = (filter.annotations ?? {}) as {
    readonly expected?: string
    readonly toJsonSchema?: (context: object) => Json | readonly [Json, true]
  }
  const words = stated.some(({ description }) => expected !== undefined && String(description).includes(expected))
  if (words) return []
  const fragment = toJsonSchema?.({ type: typeOf[node._tag], schemas: [] })
  if (fragment === undefined || Array.isArray(fragment)) return [`words: ${expected}`]
  return Object.entries(fragment)
    .filter(([key, value]) => !isStated(key, value, stated) && !isDecoded(node, key, stated))
    .map(([key, value]) => `${key} ${JSON.stringify(value)}`)
}

/**
 * Returns true if a keyword is allowed to differ, because the document describes the decoded number where the Schema
 * has text.
 */
const isDecoded = ({ _tag }: SchemaAST.AST, key: string, stated: ReadonlyArray<Json>): boolean => {
  const types = stated.map(({ type }) => type)
  if (_tag === "String") return key === "pattern" && types.includes("integer")
  return _tag === "Number" && key === "type" && !types.some((type) => type === "number" || type === "integer")
}

const literalsOf = (nodes: ReadonlyArray<SchemaAST.AST>) =>
  nodes.flatMap((node) => (node._tag === "Literal" && node.literal !== null ? [node.literal] : []))

const seen = new WeakSet<object>()

const faultsOf = (ast: SchemaAST.AST, documented: unknown, document: object, place: string): ReadonlyArray<string> => {
  const stated = alternatives(documented, document)
  const nodes = nodesOf(ast)
  if (stated.length === 0) return [`${place}: not described`]
  const literals = literalsOf(nodes)
  const choices = new Set(
    stated.flatMap((candidate) => (candidate["enum"] as ReadonlyArray<unknown>) ?? [candidate["const"]])
  )
  return [
    ...nodes.flatMap((node) =>
      (node.checks ?? [])
        .flatMap(filtersOf)
        .flatMap((filter) => unstated(node, filter, stated))
        .map((missing) => `${place}: ${missing}`)
    ),
    ...(literals.every((literal) => choices.has(literal)) ? [] : [`${place}: enum ${JSON.stringify(literals)}`]),
    ...nodes.flatMap((node) => insideOf(node, stated, document, place))
  ]
}

const insideOf = (
  node: SchemaAST.AST,
  stated: ReadonlyArray<Json>,
  document: object,
  place: string
): ReadonlyArray<string> => {
  // A document describes the encoded form, so checks on the decoded form do not apply.
  if (node.encoding !== undefined) return []
  if (node._tag === "Arrays") {
    const items = stated.flatMap((candidate) => ("items" in candidate ? [candidate["items"]] : []))
    return [...node.rest, ...(node.rest.length === 0 ? [] : node.elements)].flatMap((element) =>
      best(items.map((item) => faultsOf(element, item, document, `${place}[]`)))
    )
  }
  if (node._tag !== "Objects" || seen.has(node)) return []
  const objects = stated.filter((candidate) => candidate["type"] === "object")
  return best(objects.map((candidate) => ofObject(node, candidate, document, place)))
}

const ofObject = (
  node: SchemaAST.Objects,
  documented: Json,
  document: object,
  place: string
): ReadonlyArray<string> => [
  ...(node.indexSignatures.length === 0 && documented["additionalProperties"] !== false
    ? [`${place}: additionalProperties`]
    : []),
  ...node.propertySignatures.flatMap(({ name, type }) => {
    const key = String(name)
    const isRequired = ((documented["required"] as ReadonlyArray<string>) ?? []).includes(key)
    const fault = isRequired === SchemaAST.isOptional(encoded(type)) ? [`${place}.${key}: required`] : []
    return [...fault, ...faultsOf(type, (documented["properties"] as Json)?.[key], document, `${place}.${key}`)]
  })
]

const encoded = (ast: SchemaAST.AST): SchemaAST.AST =>
  ast.encoding?.[0] === undefined ? ast : encoded(ast.encoding[0].to)

/** Returns the faults of the alternative with the fewest, because one alternative without faults suffices. */
const best = (faults: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  faults.toSorted((first, second) => first.length - second.length)[0] ?? ["not described"]

describe("a published document", () => {
  const places = everything()

  it("finds more than 300 Schemas in the published documents", () => expect(places.length).toBeGreaterThan(300))

  it("each document states every constraint that its Schemas enforce", () =>
    expect(
      places.flatMap(({ document, place, schema, documented }) => faultsOf(schema.ast, documented, document, place))
    ).toEqual([]))
})
