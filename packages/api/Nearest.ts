/** The number next to one that was refused which would not have been. */
import type { SchemaAST } from "effect"

/** Undefined where no number is the nearest, such as above 0, or where what is wrong with it is something else. */
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

/** Flattens groups of checks. */
export const filtersOf = (check: SchemaAST.Check<never>): ReadonlyArray<SchemaAST.Filter<unknown>> =>
  check._tag === "Filter" ? [check as SchemaAST.Filter<unknown>] : check.checks.flatMap(filtersOf)

/** As the library's checks of numbers say it for those who make up values. */
export interface Bounds {
  readonly number?: unknown
  readonly minimum?: unknown
  readonly maximum?: unknown
  readonly exclusiveMinimum?: unknown
  readonly exclusiveMaximum?: unknown
  readonly minLength?: unknown
  readonly maxLength?: unknown
}

export const boundsOf = ({ annotations }: SchemaAST.Filter<unknown>): Bounds =>
  annotations?.["arbitraryConstraint"] ?? {}
