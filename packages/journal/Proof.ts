/** The question whether streams still end with a row of their owner: that the database answers does not prove it. */
import * as OpenStream from "./OpenStream.ts"

/** Rows of an older epoch or the same are the owner's own, however late it hears of them. */
export const question = `
  select q.stream, q.epoch
  from unnest($1::text[], $2::bigint[], $3::integer[]) as q (stream, seq, epoch)
  where exists (select from journal j where j.stream = q.stream and j.seq > q.seq and j.epoch > q.epoch)`

export const parameters = (streams: ReadonlyArray<OpenStream.OpenStream>): ReadonlyArray<unknown> => [
  streams.map(({ owner }) => owner.stream),
  streams.map(({ seq }) => BigInt(seq)),
  streams.map(({ epoch }) => epoch)
]

/** The answer names those that another owner has; all others were still their owner's when they were asked about. */
export const answered = (
  streams: ReadonlyArray<OpenStream.OpenStream>,
  answer: ReadonlyArray<ReadonlyArray<unknown>>,
  askedAtMillis: number
): void => {
  const taken = new Set(answer.map(([stream, epoch]) => `${epoch} ${stream}`))
  for (const stream of streams) {
    if (taken.has(`${stream.epoch} ${stream.owner.stream}`)) OpenStream.fence(stream)
    else OpenStream.prove(stream, askedAtMillis)
  }
}
