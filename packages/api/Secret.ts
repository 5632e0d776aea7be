/** Members of requests that nothing repeats: signatures, what was signed, tokens, numbers of bank accounts. */
import type { Schema, SchemaAST } from "effect"

/** Marks a schema: what is sent for it stands in no refusal. */
export const secret = <S extends Schema.Top>(schema: S): S["Rebuild"] => schema.annotate({ [mark]: true })

const mark = "@venue/api/Secret"

/** Whether this very schema is marked. */
export const isSecret = ({ annotations, checks }: SchemaAST.AST): boolean =>
  annotations?.[mark] === true || (checks ?? []).some((check) => check.annotations?.[mark] === true)

/** Whether it is marked, or something that it is made of. */
export const holdsSecret = (ast: SchemaAST.AST): boolean => {
  const known = holding.get(ast)
  if (known !== undefined) return known
  // What leads back to itself is no secret for that.
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
