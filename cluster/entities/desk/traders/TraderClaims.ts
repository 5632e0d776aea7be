/** Claims and replays the journals of many traders at once. Saves a new snapshot after a long replay. */
import { traderStream } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { type Claimed, Journal, NotOwner, type Replay } from "@venue/journal/Journal"
import * as TraderRecord from "@venue/journal/TraderRecord"
import { Cause, Effect, identity } from "effect"
import { pack, unpack } from "msgpackr"
import { Feed } from "../../../feed/Feed.ts"
import { VenueSettings } from "../../../VenueSettings.ts"

/** Number of replayed rows above which a snapshot is saved. */
const snapshotRows = 1_000

export interface TraderClaims {
  /** Loads traders and passes each to `claimed`. Skips a trader whose journal cannot be read. */
  readonly load: (userIds: ReadonlyArray<UserId>) => Effect.Effect<void>
}

export const make = Effect.fnUntraced(function* (
  owned: Effect.Effect<boolean>,
  /** `writtenSeq` is the sequence number of the newest row with events, or of the snapshot's row. */
  claimed: (userId: UserId, ledger: Ledger.Trader, from: Claimed, writtenSeq: number) => void
) {
  const journal = yield* Journal
  const { instruments, openInterest, prices } = yield* Feed
  const venue = yield* VenueSettings
  const settings: Ledger.Settings = {
    ...Ledger.defaults,
    // Read for each order, because operators change the limit while the desk runs.
    get maxOpenOrdersPerAccount() {
      return venue.maxOpenOrdersPerAccount
    }
  }

  const claim = Effect.fnUntraced(function* (userIds: ReadonlyArray<UserId>) {
    const claiming = new Map(
      userIds.map((userId) => [
        traderStream(userId),
        { userId, ledger: Ledger.make(userId, instruments, prices, openInterest, settings), savedSeq: 0, writtenSeq: 0 }
      ])
    )
    // A desk that has lost its shard without noticing must not fence the new owner.
    if (!(yield* owned)) return yield* new NotOwner({ stream: traderStream(userIds[0]!) })
    const into = (stream: string) => replayInto(claiming.get(stream)!)
    for (const [stream, from] of yield* journal.claimMany([...claiming.keys()], into, owned)) {
      const { ledger, savedSeq, userId, writtenSeq } = claiming.get(stream)!
      if (from.seq - savedSeq > snapshotRows) {
        yield* journal.saveSnapshot(stream, from.seq, [pack(Ledger.snapshot(ledger))])
      }
      claimed(userId, ledger, from, writtenSeq)
    }
  })

  const load = (userIds: ReadonlyArray<UserId>): Effect.Effect<void> =>
    userIds.length === 0
      ? Effect.void
      : Effect.catchCause(claim(userIds), (cause) =>
          Cause.hasDies(cause) && userIds.length > 1
            ? Effect.forEach(userIds, (userId) => load([userId]), { discard: true })
            : DatabaseOutage.report(cause, Effect.logWarning(`loading ${userIds.length} traders failed`, cause))
        )
  return identity<TraderClaims>({ load })
})

const replayInto = (claiming: { readonly ledger: Ledger.Trader; savedSeq: number; writtenSeq: number }): Replay => ({
  restore: (state, seq) => {
    const snapshot = Ledger.readSnapshot(unpack(state))
    if (snapshot === undefined) return false
    Ledger.restore(claiming.ledger, snapshot)
    claiming.savedSeq = claiming.writtenSeq = seq
    return true
  },
  replay: ({ events, seq }) => {
    if (events.length === 0) return
    for (const event of TraderRecord.decode(events)) Ledger.apply(claiming.ledger, event)
    claiming.writtenSeq = seq
  }
})
