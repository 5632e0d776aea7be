/** Stores a rail's holdings with the withdrawals that had left it, for the auditor to compare with the books. */
import { isNetwork, type RailName } from "@venue/domain/Rail"
import type { RailProvider } from "@venue/providers/rails/RailProvider"
import { Deposits } from "@venue/storage/treasury/Deposits"
import { RailHoldings } from "@venue/storage/treasury/RailHoldings"
import { RailStates } from "@venue/storage/treasury/RailStates"
import { submittedAtOnce, type Withdrawal, Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { Clock, Effect, Option, Schedule } from "effect"

/** Polls every 5 s. During an outage, the stored holdings remain. */
export const run = Effect.fnUntraced(function* (provider: RailProvider) {
  const { rail } = provider
  const poll = yield* make(provider)
  return yield* poll.pipe(
    Effect.catchTags({
      // This failure raises no alarm for the rail, because only the wallet might be unreachable.
      RailUnavailable: ({ cause }) => Effect.logDebug(`the holdings on rail ${rail} could not be read`, cause),
      DatabaseUnavailable: () => Effect.void
    }),
    Effect.catchDefect((defect) => Effect.logError(`polling the holdings on rail ${rail} failed`, defect)),
    Effect.repeat(Schedule.spaced(pollEvery)),
    Effect.asVoid
  )
})

/** Requests the holdings every 30 s, and immediately after the end of a withdrawal that had not left the rail. */
export const make = Effect.fnUntraced(function* (provider: RailProvider) {
  const { rail } = provider
  const { addresses } = yield* Deposits
  const { record } = yield* RailHoldings
  const { find } = yield* RailStates
  const { payments } = yield* Withdrawals
  const submitted = yield* makeSubmitted
  let requestedMillis = -Infinity
  let waitingIds: ReadonlyArray<string> = []

  return Effect.gen(function* () {
    // The order of reads matters. A deposit stored or a withdrawal settled between two reads must be in both the
    // books and the response, or in neither.
    const { cursor } = yield* find(rail)
    const open = yield* submitted(rail)
    const asOfMillis = yield* Clock.currentTimeMillis
    const hasEnded = waitingIds.some((id) => open.every(({ withdrawalId }) => withdrawalId !== id))
    if (cursor === null || (asOfMillis - requestedMillis < requestEveryMillis && !hasEnded)) return
    const sent = yield* Effect.forEach(open, ({ withdrawalId }) => payments(withdrawalId), { concurrency: 4 })
    const known = isNetwork(rail) ? yield* addresses(rail) : []
    const holdings = yield* provider.holdings({ addresses: known, cursor, sent })
    if (Option.isNone(holdings)) return
    const { amount, block, hasLeft, position } = holdings.value
    const ids = (left: boolean) => open.flatMap(({ withdrawalId }, at) => (hasLeft[at] === left ? [withdrawalId] : []))
    waitingIds = ids(false)
    yield* record({ rail, amount, block, position, asOfMillis, leftIds: ids(true), waitingIds })
    requestedMillis = asOfMillis
  })
})

/** Returns all in-flight withdrawals. The auditor assumes that no other withdrawal has left the rail. */
const makeSubmitted = Effect.map(Withdrawals, ({ submitted }) =>
  Effect.fnUntraced(function* (rail: RailName) {
    const open: Array<Withdrawal> = []
    for (let after = -1; ;) {
      const page = yield* submitted(rail, after)
      open.push(...page)
      if (page.length < submittedAtOnce) return open
      after = page.at(-1)!.sequence!
    }
  })
)

const pollEvery = "5 seconds"
const requestEveryMillis = 30_000
