/** What a rail holds is asked now and then, and stored beside what had left it by then: an auditor compares it with the books. */
import { isNetwork, type RailName } from "@venue/domain/Rail"
import type { RailProvider } from "@venue/providers/rails/RailProvider"
import { Deposits } from "@venue/storage/treasury/Deposits"
import { RailHoldings } from "@venue/storage/treasury/RailHoldings"
import { RailStates } from "@venue/storage/treasury/RailStates"
import { submittedAtOnce, type Withdrawal, Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { Clock, Effect, Option, Schedule } from "effect"

/** Goes on for ever. An outage is no difference: what was known stays. */
export const run = Effect.fnUntraced(function* (provider: RailProvider) {
  const { rail } = provider
  const look = yield* make(provider)
  return yield* look.pipe(
    Effect.catchTags({
      // A wallet alone may be away, so that the rail itself is not told to be.
      RailUnavailable: ({ cause }) => Effect.logDebug(`what rail ${rail} holds is not known`, cause),
      DatabaseUnavailable: () => Effect.void
    }),
    Effect.catchDefect((defect) => Effect.logError(`asking rail ${rail} what it holds ended in a fault`, defect)),
    Effect.repeat(Schedule.spaced(lookEvery)),
    Effect.asVoid
  )
})

/** Asks where it is due: after half a minute, or once something that waited has come to its end. */
export const make = Effect.fnUntraced(function* (provider: RailProvider) {
  const { rail } = provider
  const { addresses } = yield* Deposits
  const { record } = yield* RailHoldings
  const { find } = yield* RailStates
  const { payments } = yield* Withdrawals
  const submitted = yield* makeSubmitted
  let askedMillis = -Infinity
  let waitingIds: ReadonlyArray<string> = []

  return Effect.gen(function* () {
    // In this order: what is noted or settled between two of these questions is told by both, or by neither.
    const { cursor } = yield* find(rail)
    const open = yield* submitted(rail)
    const asOfMillis = yield* Clock.currentTimeMillis
    const hasEnded = waitingIds.some((id) => open.every(({ withdrawalId }) => withdrawalId !== id))
    if (cursor === null || (asOfMillis - askedMillis < askEveryMillis && !hasEnded)) return
    const sent = yield* Effect.forEach(open, ({ withdrawalId }) => payments(withdrawalId), { concurrency: 4 })
    const known = isNetwork(rail) ? yield* addresses(rail) : []
    const holdings = yield* provider.holdings({ addresses: known, cursor, sent })
    if (Option.isNone(holdings)) return
    const { amount, block, hasLeft, position } = holdings.value
    const ids = (left: boolean) => open.flatMap(({ withdrawalId }, at) => (hasLeft[at] === left ? [withdrawalId] : []))
    waitingIds = ids(false)
    yield* record({ rail, amount, block, position, asOfMillis, leftIds: ids(true), waitingIds })
    askedMillis = asOfMillis
  })
})

/** All of them: an auditor takes one that is not among them for one that has not left. */
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

const lookEvery = "5 seconds"
const askEveryMillis = 30_000
