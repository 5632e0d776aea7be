/** The valid number nearest to a refused number, for error messages. */
import type { SchemaAST } from "effect"

/** Returns the refused number moved to the nearest bound, or undefined if the result still fails a check. */
export const nearest = (ast: SchemaAST.AST, refused: number): number | undefined => {
  const filters = (ast.checks ?? []).flatMap(filtersOf)
  const bounds = filters.map(boundsOf)
  const isWhole = bounds.some(({ number }) => number === "integer")
  const step = isWhole ? 1 : 0
  let wanted = isWhole ? Math.round(refused) : refused
  for (const { exclusiveMaximum, exclusiveMinimum, maximum, minimum } of bounds) {
    if (typeof minimum === "number") wanted = Math.max(wanted, minimum + (exclusiveMinimum === true ? step : 0))
    if (typeof maximum === "number") wanted = Math.min(wanted, maximum - (exclusiveMaximum === true ? step : 0))
  }
  return filters.every((filter) => filter.run(wanted, ast, {}) === undefined) ? wanted : undefined
}

/** Returns a check's filters, including the filters of nested groups. */
export const filtersOf = (check: SchemaAST.Check<never>): ReadonlyArray<SchemaAST.Filter<unknown>> =>
  check._tag === "Filter" ? [check as SchemaAST.Filter<unknown>] : check.checks.flatMap(filtersOf)

/** Bounds that the library's checks carry as annotations for generating arbitrary values. */
export interface Bounds {
  readonly number?: unknown
  readonly minimum?: unknown
  readonly maximum?: unknown
  readonly exclusiveMinimum?: unknown
  readonly exclusiveMaximum?: unknown
  readonly minLength?: unknown
  readonly maxLength?: unknown
}

/** Returns the bounds of a check; empty for a check without bounds. */
export const boundsOf = ({ annotations }: SchemaAST.Filter<unknown>): Bounds =>
  annotations?.["arbitraryConstraint"] ?? {}
