/** Pages of long lists: limit and offset. */

/** Maximum number of rows that one read returns. */
const maxLimit = 1_000

export interface Page {
  readonly limit: number
  readonly offset: number
}

/** Returns the page with limit and offset clamped to valid values. */
export const pageOf = ({ limit, offset }: Page): Page => ({
  limit: Math.min(Math.max(limit, 0), maxLimit),
  offset: Math.min(Math.max(offset, 0), Number.MAX_SAFE_INTEGER)
})
