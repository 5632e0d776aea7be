/** Two journals over the same rows, as on two nodes, and owners that record their callbacks. */
import { Journal, type JournalShape, type Claimed, type Replay, type Row } from "@venue/journal/Journal"
import { Context, Effect, Layer, Logger } from "effect"

export class Nodes extends Context.Service<
  Nodes,
  {
    readonly a: JournalShape
    readonly b: JournalShape
  }
>()("test/storage/JournalNodes") {}

/** Suppresses the log lines about owners that misbehave on purpose. */
const quiet = Logger.layer([])

/** Builds both nodes concurrently, so that their migrations run concurrently too. */
export const twoNodes = <E, R>(node: Layer.Layer<Journal, E, R>): Layer.Layer<Nodes, E, R> =>
  Layer.effect(
    Nodes,
    Effect.gen(function* () {
      const build = Effect.map(Layer.build(Layer.fresh(node)), (services) => Context.get(services, Journal))
      const [a, b] = yield* Effect.all([build, build], { concurrency: 2 })
      return Nodes.of({ a, b })
    })
  ).pipe(Layer.provide(quiet))

export interface Recorder extends Replay {
  readonly rows: Array<string>
}

export const recorder = (): Recorder => {
  const rows: Array<string> = []
  return {
    rows,
    restore: (state, seq) => rows.push(`snapshot ${seq} ${text(state)}`) > 0,
    replay: (row) => void rows.push(rowText(row))
  }
}

export const rowText = ({ epoch, events, seq }: Row): string => `${seq} ${epoch} ${text(events)}`

export const bytes = (value: string): Uint8Array => new TextEncoder().encode(value)

export const text = (value: Uint8Array): string => new TextDecoder().decode(value)

export const yes = Effect.succeed(true)

/** Waits until a recorded word has been sent. */
export const turn = Effect.callback<void>((resume) => {
  setImmediate(() => setImmediate(() => resume(Effect.void)))
})

/** Claims a stream and appends to it. Words recorded between two flushes become one row, joined by spaces. */
export const own = Effect.fnUntraced(function* (journal: JournalShape, stream: string, isBelieved = false) {
  return follow(journal, stream, yield* journal.claim(stream, recorder(), yes), isBelieved)
})

export const follow = (journal: JournalShape, stream: string, from: Claimed, isBelieved = false) => {
  let open: Array<string> = []
  const flying: Array<Array<Pending>> = []
  let pending: Array<Pending> = []
  const committed: Array<number> = []
  const lost: Array<"fenced" | "unknown"> = []
  let collects = 0
  /** Callbacks of which one runs right after each of the next collects. */
  const collecting: Array<() => void> = []
  const appender = journal.append(
    {
      stream,
      isBelieved,
      collect: () => {
        collects++
        if (open.length === 0) return undefined
        const events = bytes(open.join(" "))
        flying.push(pending)
        pending = []
        open = []
        collecting.shift()?.()
        return { events }
      },
      committed: (seq) => {
        committed.push(seq)
        for (const each of flying.shift()!) each.committed(seq)
      },
      lost: (why) => {
        lost.push(why)
        for (const each of [...flying.flat(), ...pending]) each.lost(why)
      }
    },
    from
  )
  const say = (word: string) => {
    open.push(word)
    appender.wake()
  }
  /** Returns the sequence number of the row that contains the word. */
  const record = (word: string, notified: (seq: number) => void = () => {}) =>
    Effect.callback<number, "fenced" | "unknown">((settle) => {
      if (lost[0] !== undefined) return settle(Effect.fail(lost[0]))
      const committed = (seq: number) => {
        notified(seq)
        settle(Effect.succeed(seq))
      }
      pending.push({ committed, lost: (why) => settle(Effect.fail(why)) })
      say(word)
    })
  return { appender, committed, from, lost, record, say, collects: () => collects, collecting, stream }
}

interface Pending {
  readonly committed: (seq: number) => void
  readonly lost: (why: "fenced" | "unknown") => void
}

export const history = (journal: JournalShape, stream: string) =>
  Effect.map(journal.read(stream, 0, 10_000), (rows) => rows.map(rowText))
