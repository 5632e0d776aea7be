/**
 * Takes over streams: reads snapshots and later rows, appends a row of a new epoch, and retries if another row came
 * first.
 */
import { Effect, Fiber } from "effect"
import { type Claimed, type JournalUnavailable, NotOwner, type Replay, type Row } from "./JournalStream.ts"

export interface Snapshot {
  readonly stream: string
  readonly seq: number
  /** Epoch of the row whose sequence number is `seq`. */
  readonly epoch: number
  readonly state: Uint8Array
}

export interface After {
  readonly stream: string
  readonly seq: number
}

export interface Page {
  /** Rows of each stream, in order. */
  readonly rows: ReadonlyArray<Row>
  /** Streams that might have further rows. */
  readonly more: ReadonlySet<string>
}

/** Storage operations for taking over streams; each is a single statement. */
export interface ClaimStore {
  readonly snapshots: (streams: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Snapshot>, JournalUnavailable>
  readonly tails: (of: ReadonlyArray<After>) => Effect.Effect<Page, JournalUnavailable>
  /**
   * Appends the first row of a new epoch to each stream, without checking the previous row's epoch. Returns the
   * streams for which this succeeded.
   */
  readonly claim: (rows: ReadonlyArray<Row>) => Effect.Effect<ReadonlySet<string>, JournalUnavailable>
}

/** Maximum number of streams in one statement. */
const maxGroup = 256

export const claimMany = Effect.fnUntraced(function* (
  store: ClaimStore,
  streams: ReadonlyArray<string>,
  into: (stream: string) => Replay,
  still: Effect.Effect<boolean>
): Effect.fn.Return<ReadonlyMap<string, Claimed>, JournalUnavailable | NotOwner> {
  const claimed = new Map<string, Claimed>()
  // Sorted like a flush's rows: this insert also waits for uncommitted rows and could deadlock otherwise.
  const sorted = [...new Set(streams)].sort()
  for (let at = 0; at < sorted.length; at += maxGroup) {
    const group = new Map(sorted.slice(at, at + maxGroup).map((stream) => [stream, begin(stream, into(stream))]))
    yield* restore(store, group)
    while (group.size > 0) {
      yield* replay(store, group)
      const won = yield* store.claim([...group.values()].map(claimRow))
      for (const stream of won) {
        const { epoch, seq } = group.get(stream)!
        claimed.set(stream, { epoch: epoch + 1, seq: seq + 1 })
        group.delete(stream)
      }
      // Checks that this node still needs the streams; otherwise two nodes could fence each other alternately.
      const [beaten] = group.keys()
      if (beaten !== undefined && !(yield* still)) return yield* new NotOwner({ stream: beaten })
    }
  }
  return claimed
})

/** Position up to which one stream has been read. */
interface Progress {
  readonly stream: string
  readonly into: Replay
  seq: number
  epoch: number
}

const begin = (stream: string, into: Replay): Progress => ({ stream, into, seq: 0, epoch: 0 })

const claimRow = ({ epoch, seq, stream }: Progress): Row => ({
  stream,
  seq: seq + 1,
  epoch: epoch + 1,
  events: new Uint8Array(0)
})

const restore = Effect.fnUntraced(function* (store: ClaimStore, group: ReadonlyMap<string, Progress>) {
  for (const snapshot of yield* store.snapshots([...group.keys()])) {
    const progress = group.get(snapshot.stream)!
    if (!progress.into.restore(snapshot.state, snapshot.seq)) continue
    progress.seq = snapshot.seq
    progress.epoch = snapshot.epoch
  }
})

/** Replays each stream to its end. Fetches the next page while the current page is applied. */
const replay = Effect.fnUntraced(function* (store: ClaimStore, group: ReadonlyMap<string, Progress>) {
  let page = yield* store.tails([...group.values()])
  while (page.rows.length > 0) {
    const reached = new Map(page.rows.map((row) => [row.stream, row.seq]))
    const next =
      page.more.size === 0
        ? undefined
        : yield* Effect.forkChild(
            store.tails([...page.more].map((stream) => ({ stream, seq: reached.get(stream)! }))),
            { startImmediately: true }
          )
    for (const row of page.rows) yield* apply(group.get(row.stream)!, row)
    if (next === undefined) return
    page = yield* Fiber.join(next)
  }
})

/** Replays a row. A gap in the sequence numbers means corrupted data, so the stream is not served. */
const apply = (progress: Progress, row: Row): Effect.Effect<void> => {
  if (row.seq !== progress.seq + 1 || row.epoch < progress.epoch) {
    const remedy =
      row.seq > progress.seq + 1
        ? `; if the rows between are archived, run: npm run archive -- --restore ${row.stream}`
        : ""
    return Effect.die(
      new Error(
        `${row.stream}: row ${row.seq} of epoch ${row.epoch} follows row ${progress.seq} of epoch ${progress.epoch}${remedy}`
      )
    )
  }
  progress.seq = row.seq
  progress.epoch = row.epoch
  progress.into.replay(row)
  return Effect.void
}
