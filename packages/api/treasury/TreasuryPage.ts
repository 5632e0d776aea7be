/** Page parameters for lists of withdrawals and deposits. */
import { Result } from "effect"
import { maxOffset } from "../Offset.ts"
import type { BadRequest, Problems } from "../Problem.ts"
import { defaultLimit, limitQuery, listParameters, offsetQuery } from "../rest/ListPage.ts"

/** Query parameters that select a page. */
export const pageQuery = { ...limitQuery, ...offsetQuery }
export const pageParameters = { limit: listParameters.limit, offset: listParameters.offset }

interface Page {
  readonly limit?: number
  readonly offset?: number
}

/** Returns the requested page with defaults, or the refusal of an offset above the limit. */
export const pageOf = (
  problems: Problems,
  { limit = defaultLimit, offset = 0 }: Page
): Result.Result<Required<Page>, BadRequest> =>
  offset <= maxOffset
    ? Result.succeed({ limit, offset })
    : Result.fail(problems.offsetTooLarge(`The largest offset is ${maxOffset}, got ${offset}; send a smaller offset.`))
