/** Proof of ownership of idle streams: each must still end with a row of its owner. */
import * as OpenStream from "./OpenStream.ts"

/** Selects streams with a later row of a higher epoch. Rows of the same epoch are the owner's own. */
export const query = `
  select q.stream, q.epoch
  from unnest($1::text[], $2::bigint[], $3::integer[]) as q (stream, seq, epoch)
  where exists (select from journal j where j.stream = q.stream and j.seq > q.seq and j.epoch > q.epoch)`

export const parameters = (streams: ReadonlyArray<OpenStream.OpenStream>): ReadonlyArray<unknown> => [
  streams.map(({ owner }) => owner.stream),
  streams.map(({ seq }) => BigInt(seq)),
  streams.map(({ epoch }) => epoch)
]

/** Fences the returned streams, which have another owner; all others were still owned when the query was sent. */
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
