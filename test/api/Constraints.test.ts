/** Every constraint that a Schema enforces stands in the document made of it. */
import { SchemaAST } from "effect"
import { describe, expect, it } from "vitest"
import { everything } from "./PublishedDocuments.ts"

type Json = Readonly<Record<string, unknown>>

/** Every subschema that says something of one position: behind references, in unions, and beside each other. */
const alternatives = (told: unknown, document: object): ReadonlyArray<Json> => {
  if (typeof told !== "object" || told === null) return []
  const schema = told as Json
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

/** A schema, what it is decoded from, and the members of unions: all of one position. */
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

const bounds: Readonly<Record<string, (told: number, enforced: number) => boolean>> = {
  minimum: (told, enforced) => told >= enforced,
  exclusiveMinimum: (told, enforced) => told >= enforced,
  minLength: (told, enforced) => told >= enforced,
  minItems: (told, enforced) => told >= enforced,
  maximum: (told, enforced) => told <= enforced,
  exclusiveMaximum: (told, enforced) => told <= enforced,
  maxLength: (told, enforced) => told <= enforced,
  maxItems: (told, enforced) => told <= enforced
}

const isStated = (key: string, value: unknown, stated: ReadonlyArray<Json>): boolean =>
  stated.some((one) => {
    const isWithin = bounds[key]
    if (isWithin !== undefined) {
      const choices = one["enum"] as ReadonlyArray<number> | undefined
      const told = one[key] ?? one[`exclusive${key[0]!.toUpperCase()}${key.slice(1)}`]
      return typeof told === "number"
        ? isWithin(told, value as number)
        : (choices?.every((choice) => isWithin(choice, value as number)) ?? false)
    }
    if (key === "type") return one["type"] === value || (value === "number" && one["type"] === "integer")
    return JSON.stringify(one[key]) === JSON.stringify(value)
  })

/** What of a check is missing: its keywords, or where it has none, its words in the description. */
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

/** The document may state the number that a text is read as, with its bounds, and a text is no number. */
const isDecoded = ({ _tag }: SchemaAST.AST, key: string, stated: ReadonlyArray<Json>): boolean => {
  const types = stated.map(({ type }) => type)
  if (_tag === "String") return key === "pattern" && types.includes("integer")
  return _tag === "Number" && key === "type" && !types.some((type) => type === "number" || type === "integer")
}

const literalsOf = (nodes: ReadonlyArray<SchemaAST.AST>) =>
  nodes.flatMap((node) => (node._tag === "Literal" && node.literal !== null ? [node.literal] : []))

const seen = new WeakSet<object>()

const faultsOf = (ast: SchemaAST.AST, told: unknown, document: object, place: string): ReadonlyArray<string> => {
  const stated = alternatives(told, document)
  const nodes = nodesOf(ast)
  if (stated.length === 0) return [`${place}: not described`]
  const literals = literalsOf(nodes)
  const choices = new Set(stated.flatMap((one) => (one["enum"] as ReadonlyArray<unknown>) ?? [one["const"]]))
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
  // What is decoded is described as it travels.
  if (node.encoding !== undefined) return []
  if (node._tag === "Arrays") {
    const items = stated.flatMap((one) => ("items" in one ? [one["items"]] : []))
    return [...node.rest, ...(node.rest.length === 0 ? [] : node.elements)].flatMap((element) =>
      best(items.map((item) => faultsOf(element, item, document, `${place}[]`)))
    )
  }
  if (node._tag !== "Objects" || seen.has(node)) return []
  const objects = stated.filter((one) => one["type"] === "object")
  return best(objects.map((one) => ofObject(node, one, document, place)))
}

const ofObject = (node: SchemaAST.Objects, told: Json, document: object, place: string): ReadonlyArray<string> => [
  ...(node.indexSignatures.length === 0 && told["additionalProperties"] !== false
    ? [`${place}: additionalProperties`]
    : []),
  ...node.propertySignatures.flatMap(({ name, type }) => {
    const key = String(name)
    const isRequired = ((told["required"] as ReadonlyArray<string>) ?? []).includes(key)
    const fault = isRequired === SchemaAST.isOptional(encoded(type)) ? [`${place}.${key}: required`] : []
    return [...fault, ...faultsOf(type, (told["properties"] as Json)?.[key], document, `${place}.${key}`)]
  })
]

const encoded = (ast: SchemaAST.AST): SchemaAST.AST =>
  ast.encoding?.[0] === undefined ? ast : encoded(ast.encoding[0].to)

/** One alternative that is without a fault is enough. */
const best = (faults: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  faults.toSorted((one, other) => one.length - other.length)[0] ?? ["not described"]

describe("a document", () => {
  const places = everything()

  it("covers every interface", () => expect(places.length).toBeGreaterThan(300))

  it("states every constraint that its Schemas enforce", () =>
    expect(places.flatMap(({ document, place, schema, told }) => faultsOf(schema.ast, told, document, place))).toEqual(
      []
    ))
})
