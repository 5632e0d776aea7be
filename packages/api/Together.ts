/** Several readings of one request, refused with the faults of all of them. */
import { Result } from "effect"
import { BadRequest } from "./Problem.ts"

type Readings = Readonly<Record<string, Result.Result<unknown, BadRequest>>>
type Values<R extends Readings> = { readonly [Name in keyof R]: Result.Result.Success<R[Name]> }

/** Returns all values, or one refusal of the first reading's type with the faults of every reading that failed. */
export const together = <const R extends Readings>(readings: R): Result.Result<Values<R>, BadRequest> => {
  // A reading that needs the value of another one fails with the same refusal.
  const refusals = new Set(
    Object.values(readings).flatMap((reading) => (Result.isFailure(reading) ? [reading.failure] : []))
  )
  const [first] = refusals
  if (first === undefined) return Result.all(readings) as Result.Result<Values<R>, BadRequest>
  return Result.fail(new BadRequest({ ...first, errors: [...refusals].flatMap(({ errors }) => errors ?? []) }))
}
