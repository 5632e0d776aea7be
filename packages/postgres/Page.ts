/** Which part of a long list is wanted. */

/** The most rows one read answers with, whatever was asked. */
const maxLimit = 1_000

export const pageOf = ({ limit, offset }: { readonly limit: number; readonly offset: number }) => ({
  limit: Math.min(Math.max(limit, 0), maxLimit),
  offset: Math.min(Math.max(offset, 0), Number.MAX_SAFE_INTEGER)
})
