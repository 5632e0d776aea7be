/** Proof of ownership for idle streams: the newest row of each stream must still belong to its owner. */
import * as OpenStream from "./OpenStream.ts"

/**
 * Selects streams that have a later row of a higher epoch. Later rows of the same epoch were written by the owner
 * itself.
 */
export const query = `
  select q.stream, q.epoch
  from unnest($1::text[], $2::bigint[], $3::integer[]) as q (stream, seq, epoch)
  where exists (select from journal j where j.stream = q.stream and j.seq > q.seq and j.epoch > q.epoch)`

export const parameters = (streams: ReadonlyArray<OpenStream.OpenStream>): ReadonlyArray<unknown> => [
  streams.map(({ owner }) => owner.stream),
  streams.map(({ seq }) => BigInt(seq)),
  streams.map(({ epoch }) => epoch)
]

/** Fences the returned streams. Ownership of all other streams is proven as of the time of the query. */
export const answered = (
  streams: ReadonlyArray<OpenStream.OpenStream>,
  rows: ReadonlyArray<ReadonlyArray<unknown>>,
  sentAtMillis: number
): void => {
  const taken = new Set(rows.map(([stream, epoch]) => `${epoch} ${stream}`))
  for (const stream of streams) {
    if (taken.has(`${stream.epoch} ${stream.owner.stream}`)) OpenStream.fence(stream)
    else OpenStream.prove(stream, sentAtMillis)
  }
}
