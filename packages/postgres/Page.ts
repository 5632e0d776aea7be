/** A page is the wanted part of a long list. */

/** One read answers with this many rows at most, whatever was asked. */
const maxLimit = 1_000

export interface Page {
  readonly limit: number
  readonly offset: number
}

export const pageOf = ({ limit, offset }: Page): Page => ({
  limit: Math.min(Math.max(limit, 0), maxLimit),
  offset: Math.min(Math.max(offset, 0), Number.MAX_SAFE_INTEGER)
})
