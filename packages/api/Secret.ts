/** Request members that no response echoes: signatures, signed messages, tokens, bank account numbers. */
import type { Schema, SchemaAST } from "effect"

/** Marks a schema as secret: its value appears in no problem. */
export const secret = <S extends Schema.Top>(schema: S): S["Rebuild"] => schema.annotate({ [mark]: true })

const mark = "@venue/api/Secret"

/** Whether the schema itself is marked as secret. */
export const isSecret = ({ annotations, checks }: SchemaAST.AST): boolean =>
  annotations?.[mark] === true || (checks ?? []).some((check) => check.annotations?.[mark] === true)

/** Whether the schema or any schema inside it is marked as secret. */
export const holdsSecret = (ast: SchemaAST.AST): boolean => {
  const known = holding.get(ast)
  if (known !== undefined) return known
  // Ends the recursion of a schema that contains itself.
  holding.set(ast, false)
  const holds = isSecret(ast) || partsOf(ast).some(holdsSecret)
  holding.set(ast, holds)
  return holds
}

const holding = new WeakMap<SchemaAST.AST, boolean>()

const partsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => [
  ...(ast.encoding ?? []).map(({ to }) => to),
  ...insides(ast)
]

const insides = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  switch (ast._tag) {
    case "Objects":
      return [...ast.propertySignatures.map(({ type }) => type), ...ast.indexSignatures.map(({ type }) => type)]
    case "Arrays":
      return [...ast.elements, ...ast.rest]
    case "Union":
      return ast.types
    case "Declaration":
      return ast.typeParameters
    case "Suspend":
      return [ast.thunk()]
    default:
      return []
  }
}
