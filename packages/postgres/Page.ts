/** Pages of long lists. */

/** Maximum number of rows of one read. */
const maxLimit = 1_000

export interface Page {
  readonly limit: number
  readonly offset: number
}

/** Returns the page clamped to valid values. */
export const pageOf = ({ limit, offset }: Page): Page => ({
  limit: Math.min(Math.max(limit, 0), maxLimit),
  offset: Math.min(Math.max(offset, 0), Number.MAX_SAFE_INTEGER)
})
