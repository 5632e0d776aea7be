/** In-memory journal; several nodes in a test can share its rows. */
import type { AccountId } from "@venue/domain/AccountId"
import type { UserId } from "@venue/domain/UserId"
import { Clock, Context, Effect, Layer } from "effect"
import { Buffer } from "node:buffer"
import * as Flush from "./Flush.ts"
import { claimMany, type ClaimStore, type Snapshot } from "./JournalClaim.ts"
import {
  type AccountRow,
  type Alongside,
  type AuditedDeed,
  type JournalShape,
  maxSkipped,
  type Row,
  type TreasuryStep,
  type WakeUpChange
} from "./JournalStream.ts"
import * as OpenStream from "./OpenStream.ts"

export interface OpenedAccount extends Omit<AccountRow, "_tag"> {
  readonly openedAtMillis: number
}

/** Rows that replace the database in tests: two journals over the same rows fence each other. */
export class JournalRows extends Context.Service<
  JournalRows,
  {
    readonly rows: Map<string, Array<Row>>
    readonly snapshots: Map<string, Snapshot>
    readonly wakeUps: Map<string, WakeUpChange>
    readonly accounts: Map<AccountId, OpenedAccount>
    /** User and redemption time, keyed by invitation code. */
    readonly redeemed: Map<string, { readonly userId: UserId; readonly atMillis: number }>
    /** Deposit and withdrawal events in row order; the treasury tables read new events at their next access. */
    readonly treasury: Array<TreasuryStep>
    /** Operators' actions in row order, for the audit log. */
    readonly deeds: Array<AuditedDeed>
  }
>()("@venue/storage/JournalRows") {
  static readonly layer = Layer.sync(JournalRows, () =>
    JournalRows.of({
      rows: new Map(),
      snapshots: new Map(),
      wakeUps: new Map(),
      accounts: new Map(),
      redeemed: new Map(),
      treasury: [],
      deeds: []
    })
  )
}

export const make = Effect.gen(function* () {
  const kept = yield* JournalRows
  const { rows, snapshots, wakeUps } = kept
  const clock = yield* Clock.Clock
  const runFork = Effect.runForkWith(yield* Effect.context())
  const flush = Flush.make(
    (stream, cause) => runFork(Effect.logError("another owner has taken over the journal stream", stream, cause)),
    () => clock.currentTimeMillisUnsafe()
  )
  const rowsOf = (stream: string): Array<Row> => {
    const existing = rows.get(stream) ?? []
    rows.set(stream, existing)
    return existing
  }

  const append = ({ alongside, ...row }: OpenStream.Draft): boolean => {
    const before = rowsOf(row.stream)
    const last = before.at(-1)
    if (last === undefined || last.seq !== row.seq - 1 || last.epoch !== row.epoch) return false
    before.push({ ...row, events: row.events.slice() })
    for (const along of alongside) keep(kept, along, clock.currentTimeMillisUnsafe())
    return true
  }

  /** Checks ownership at the time of the call, which is cheap in memory; notifies a fenced owner in a later turn. */
  const provenAt = (epoch: number, stream: string): number => {
    if ((rowsOf(stream).at(-1)?.epoch ?? epoch) <= epoch) return clock.currentTimeMillisUnsafe()
    setImmediate(() => {
      const taken = flush.unproven(Infinity).filter((open) => open.owner.stream === stream && open.epoch === epoch)
      for (const open of taken) OpenStream.fence(open)
    })
    return -Infinity
  }

  // Commits in a later turn of the event loop than the append, as a real database does.
  flush.open((drafts, done) => setImmediate(() => done(drafts.map(append))))
  yield* Effect.addFinalizer(() => Effect.sync(flush.shut))

  const store: ClaimStore = {
    snapshots: (streams) => Effect.sync(() => streams.flatMap((stream) => snapshots.get(stream) ?? [])),
    tails: (of) =>
      Effect.map(turn, () => ({
        rows: of.flatMap(({ seq, stream }) => rowsOf(stream).slice(seq)),
        more: new Set<string>()
      })),
    claim: (claims) =>
      Effect.map(turn, () => {
        const free = claims.filter((row) => rowsOf(row.stream).length === row.seq - 1)
        for (const row of free) rowsOf(row.stream).push(row)
        return new Set(free.map((row) => row.stream))
      })
  }

  const journal: JournalShape = {
    claim: (stream, into, still) =>
      Effect.map(
        claimMany(store, [stream], () => into, still),
        (claimed) => claimed.get(stream)!
      ),
    claimMany: (streams, into, still) => claimMany(store, streams, into, still),
    append: (owner, from) => {
      const appender = flush.append(owner, from)
      return { ...appender, provenAtMillis: () => provenAt(from.epoch, owner.stream) }
    },
    read: (stream, after, limit) => Effect.map(turn, () => rowsOf(stream).slice(after, after + limit)),
    heads: (streams) => Effect.map(turn, () => streams.map((stream) => rowsOf(stream).length)),
    skip: (stream, upTo) => Effect.map(turn, () => skip(rowsOf(stream), stream, upTo)),
    saveSnapshot: (stream, seq, state) =>
      Effect.map(turn, () => {
        const row = rowsOf(stream)[seq - 1]
        if (row === undefined || (snapshots.get(stream)?.seq ?? 0) >= seq) return
        snapshots.set(stream, { stream, seq, epoch: row.epoch, state: Buffer.concat(state) })
      }),
    wakeUps: (desk) => Effect.map(turn, () => [...wakeUps.values()].filter((entry) => entry.desk === desk)),
    projected: (users) =>
      Effect.map(turn, () => {
        const reached = new Map(users.map(({ seq, userId }) => [userId, seq]))
        for (const [key, { detail, reason, userId }] of wakeUps) {
          if (reason === "unprojected" && Number(detail) <= (reached.get(userId) ?? -1)) wakeUps.delete(key)
        }
      })
  }
  return journal
})

const skip = (rows: Array<Row>, stream: string, upTo: { readonly seq: number; readonly epoch: number }): boolean => {
  const epoch = () => rows.at(-1)?.epoch ?? 0
  const isDone = () => rows.length >= upTo.seq && epoch() > upTo.epoch
  for (let added = 0; added < maxSkipped && !isDone(); added++)
    rows.push({
      stream,
      seq: rows.length + 1,
      epoch: Math.max(epoch(), upTo.epoch) + 1,
      events: new Uint8Array(0)
    })
  return isDone()
}

/** Waits one turn of the event loop, so that no row is read or written synchronously. */
const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

const keep = (
  { accounts, deeds, redeemed, treasury, wakeUps }: JournalRows["Service"],
  along: Alongside,
  atMillis: number
): void => {
  if (along._tag === "AccountRow") {
    const { accountId, userId } = along
    if (!accounts.has(accountId)) accounts.set(accountId, { accountId, userId, openedAtMillis: atMillis })
    return
  }
  if (along._tag === "RedeemedCode") return void redeemed.set(along.code, { userId: along.userId, atMillis })
  if (along._tag === "TreasuryStep") return void treasury.push(along)
  if (along._tag === "AuditedDeed") return void deeds.push(along)
  const key = JSON.stringify([along.userId, along.reason, along.detail])
  if (along._tag === "WakeUp") wakeUps.set(key, along)
  else wakeUps.delete(key)
}
