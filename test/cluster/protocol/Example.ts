/** Generates example values of a schema: every union member, with and without optional fields. */
import { Schema, SchemaAST } from "effect"
import type { Json } from "./Message.ts"

/**
 * Returns examples: the first ones have every field; further ones omit all optional fields and use the first literal.
 */
export const examples = (schema: Schema.Top): ReadonlyArray<Json> => {
  const text = SchemaAST.toEncoded(Schema.toCodecJson(schema).ast)
  return [false, true].flatMap((isBare) => each(text, "value", isBare)).filter(isFirst)
}

const isFirst = (example: Json, at: number, all: ReadonlyArray<Json>): boolean =>
  all.findIndex((other) => JSON.stringify(other) === JSON.stringify(example)) === at

const each = (ast: SchemaAST.AST, name: string, isBare: boolean): ReadonlyArray<Json> => {
  switch (ast._tag) {
    case "Null":
    case "Void":
    case "Undefined":
      return [null]
    case "Boolean":
      return [true, false]
    case "Number":
      return [count(ast, name)]
    case "String":
      return [words(ast, name)]
    case "Literal":
      return [ast.literal as Json]
    case "Union":
      // The JSON codec of a number is a union with the names of NaN and the infinities.
      if (ast.types.some(({ _tag }) => _tag === "Number")) {
        return ast.types.filter(({ _tag }) => _tag !== "Union").flatMap((type) => each(type, name, isBare))
      }
      if (isBare && ast.types.every(({ _tag }) => _tag === "Literal")) return each(ast.types[0]!, name, isBare)
      return ast.types.flatMap((type) => each(type, name, isBare))
    case "Arrays":
      return [[...ast.elements, ...ast.rest].flatMap((type) => each(type, name, isBare))]
    case "Objects":
      return fields(ast, isBare)
    default:
      throw new Error(`there is no example of ${ast._tag} yet: ${name}`)
  }
}

/** Generates as many examples as the field with the most variants has. */
const fields = (ast: SchemaAST.Objects, isBare: boolean): ReadonlyArray<Json> => {
  const known = ast.propertySignatures
    .filter(({ type }) => !(isBare && SchemaAST.isOptional(type)))
    .map(({ name, type }) => [String(name), each(type, String(name), isBare)] as const)
  const most = Math.max(1, ...known.map(([, kinds]) => kinds.length))
  return Array.from({ length: most }, (_, at) =>
    Object.fromEntries(known.map(([name, kinds]) => [name, kinds[at % kinds.length]!]))
  )
}

interface Check {
  readonly id: string
  readonly payload: { readonly maximum: number }
}

const checkOf = (ast: SchemaAST.AST, id: string): Check | undefined =>
  ast.checks
    ?.map(({ annotations }) => annotations?.representation as Check | undefined)
    .find((check) => check?.id === `effect/schema/${id}`)

/** Example number: the schema's maximum if it has one, otherwise at most nine digits derived from the name. */
const count = (ast: SchemaAST.AST, name: string): number =>
  checkOf(ast, "isBetween")?.payload.maximum ?? hash(name) % 10 ** (1 + (hash(name) % 9))

const words = (ast: SchemaAST.AST, name: string): string => {
  if (checkOf(ast, "isStringBigInt") !== undefined) return `${hash(name)}00${hash(name)}`
  if (checkOf(ast, "isPattern") !== undefined) {
    const digits = hash(name).toString(16).padStart(8, "0")
    return `${digits}-0000-4000-8000-${digits}0000`
  }
  // Pads the name to valid base64, because byte fields are encoded as base64.
  return name.padEnd(Math.ceil(name.length / 4) * 4, "A")
}

const hash = (text: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
