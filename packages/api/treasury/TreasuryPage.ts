/** What the lists of withdrawals and of deposits have alike. */
import { Result } from "effect"
import { maxOffset } from "../Offset.ts"
import type { BadRequest, Problems } from "../Problem.ts"
import { defaultLimit, limitQuery, listParameters, offsetQuery } from "../rest/ListPage.ts"

export const pageQuery = { ...limitQuery, ...offsetQuery }
export const pageParameters = { limit: listParameters.limit, offset: listParameters.offset }

interface Asked {
  readonly limit?: number
  readonly offset?: number
}

/** What was asked, with the defaults of what was not. */
export const pageAsked = (
  problems: Problems,
  { limit = defaultLimit, offset = 0 }: Asked
): Result.Result<Required<Asked>, BadRequest> =>
  offset <= maxOffset
    ? Result.succeed({ limit, offset })
    : Result.fail(problems.offsetTooLarge(`The largest offset is ${maxOffset}, got ${offset}; send a smaller offset.`))
