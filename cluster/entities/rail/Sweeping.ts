/**
 * Brings what users have sent to their deposit addresses to the account that pays withdrawals. A second owner does no harm,
 * since each step is stored before it is sent, under a number that is used once.
 */
import { isNetwork, type Network } from "@venue/domain/Rail"
import type { PaymentObstacle } from "@venue/domain/TreasuryReason"
import type { Payment, RailProvider, Sweeper } from "@venue/providers/rails/RailProvider"
import { DepositAddresses } from "@venue/storage/treasury/DepositAddresses"
import { maxOpenSweeps, type Sweep, type SweepAttempt, Sweeps } from "@venue/storage/treasury/Sweeps"
import { Effect, Redacted, Result, Schedule } from "effect"

/** Goes on for ever where there is something to bring together; what could not be reached is asked again the next time. */
export const run = (rail: RailProvider) =>
  rail.sweeper === undefined
    ? Effect.void
    : pass(rail).pipe(
        Effect.catch((error) => Effect.logWarning(`deposits on ${rail.rail} are not brought together`, error)),
        // A fault of ours now is none for ever.
        Effect.catchDefect((defect) =>
          Effect.logError(`bringing deposits on ${rail.rail} together ended in a fault`, defect)
        ),
        Effect.repeat(Schedule.spaced(everySeconds)),
        Effect.asVoid
      )

/** Goes on with what is open, and begins what is due. */
export const pass = Effect.fn("Sweeping.pass")(function* (rail: RailProvider) {
  const { sweeper } = rail
  if (sweeper === undefined || !isNetwork(rail.rail)) return
  const sweeps = yield* Sweeps
  const open = yield* sweeps.open(rail.rail)
  yield* Effect.forEach(open, (sweep) => goOn(rail, sweeper, sweep), { discard: true })
  yield* beginDue(rail, sweeper, rail.rail, open)
})

const goOn = Effect.fnUntraced(function* (rail: RailProvider, sweeper: Sweeper, sweep: Sweep) {
  const sweeps = yield* Sweeps
  const payments = sweep.attempts.map(paymentOf)
  const outcome = yield* rail.outcome(payments)
  switch (outcome._tag) {
    case "Settled":
      return yield* sweeps.end(sweep, "DONE")
    case "Failed":
      yield* Effect.logWarning(`sweep ${sweep.sequence} on ${sweep.network} failed`, outcome.reason)
      return yield* sweeps.end(sweep, "FAILED")
    case "Pending":
      return yield* rail.send(payments.at(-1)!)
    case "Overdue": {
      const next = yield* Effect.result(sweeper.sign({ ...sweep, index: sweep.addressIndex, previous: payments }))
      if (Result.isFailure(next)) {
        yield* Effect.logWarning(`sweep ${sweep.sequence} on ${sweep.network} is not replaced`, next.failure)
        // It may fail, and uses up the number that those behind it wait for; or the chain takes it now, and had forgotten it.
        return yield* rail.send(payments.at(-1)!)
      }
      if (yield* sweeps.addAttempt(sweep, payments.length, attemptOf(next.success))) yield* rail.send(next.success)
    }
  }
})

const beginDue = Effect.fnUntraced(function* (
  rail: RailProvider,
  sweeper: Sweeper,
  network: Network,
  open: ReadonlyArray<Sweep>
) {
  const addresses = yield* DepositAddresses
  const sweeps = yield* Sweeps
  const busy = new Set(open.map(({ address }) => address))
  let sequence = Math.max(yield* sweeper.firstSequence, (yield* sweeps.lastSequence(network)) + 1)
  let room = maxOpenSweeps - (yield* sweeps.open(network)).length
  let after = -1
  let refusal: PaymentObstacle | undefined
  while (room > 0) {
    const page = yield* addresses.after(network, after, addressesAtOnce)
    if (page.length === 0) break
    after = page.at(-1)!.index
    const indexes = new Map(page.map(({ address, index }) => [address, index]))
    const due = yield* sweeper.due([...indexes.keys()].filter((address) => !busy.has(address)))
    for (const { address, amount } of due.slice(0, room)) {
      const index = indexes.get(address)!
      const payment = yield* sweeper
        .sign({ index, address, amount, sequence, previous: [] })
        .pipe(Effect.catchTag("SigningRefused", ({ obstacle }) => Effect.sync(() => void (refusal ??= obstacle))))
      if (payment === undefined) continue
      const attempts = [attemptOf(payment)]
      const isBegun = yield* sweeps.begin({ network, sequence, addressIndex: index, address, amount, attempts })
      // Somebody else brings it, or has used the number.
      if (!isBegun) return
      sequence += 1
      room -= 1
      yield* rail.send(payment)
    }
  }
  if (refusal !== undefined) yield* Effect.logWarning(`deposit addresses on ${network} cannot be swept`, refusal)
})

const attemptOf = ({ bytes, reference, signedAtMillis }: Payment): SweepAttempt => ({
  reference,
  bytes: Redacted.value(bytes),
  signedAtMillis
})

const paymentOf = ({ bytes, reference, signedAtMillis }: SweepAttempt, index: number): Payment => ({
  attempt: index + 1,
  purpose: "pay",
  reference,
  bytes: Redacted.make(bytes),
  expiresAtMillis: null,
  signedAtMillis
})

const everySeconds = "30 seconds"
const addressesAtOnce = 500
