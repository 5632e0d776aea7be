/** Combines several validations of one request into one problem with all faults. */
import { Result } from "effect"
import { BadRequest } from "./Problem.ts"

type Readings = Readonly<Record<string, Result.Result<unknown, BadRequest>>>
type Values<R extends Readings> = { readonly [Name in keyof R]: Result.Result.Success<R[Name]> }

/** Returns all values, or one problem: the first failure, extended with the faults of the other failures. */
export const together = <const R extends Readings>(readings: R): Result.Result<Values<R>, BadRequest> => {
  // A validation that depends on a failed one fails with the same object, which must be counted only once.
  const refusals = new Set(
    Object.values(readings).flatMap((reading) => (Result.isFailure(reading) ? [reading.failure] : []))
  )
  const [first] = refusals
  if (first === undefined) return Result.all(readings) as Result.Result<Values<R>, BadRequest>
  return Result.fail(new BadRequest({ ...first, errors: [...refusals].flatMap(({ errors }) => errors ?? []) }))
}
