/**
 * Sweeps deposit addresses into the account that pays withdrawals. Each transfer is stored before it is sent, under a
 * number that is used once, so a second owner does no harm.
 */
import { isNetwork, type Network } from "@venue/domain/Rail"
import type { PaymentObstacle } from "@venue/domain/TreasuryReason"
import type { Payment, RailProvider, Sweeper } from "@venue/providers/rails/RailProvider"
import { DepositAddresses } from "@venue/storage/treasury/DepositAddresses"
import { maxOpenSweeps, type Sweep, type SweepAttempt, Sweeps } from "@venue/storage/treasury/Sweeps"
import { Effect, Redacted, Result, Schedule } from "effect"

/** Sweeps every 30 s on a rail with deposit addresses. The next pass repeats a failed one. */
export const run = (rail: RailProvider) =>
  rail.sweeper === undefined
    ? Effect.void
    : pass(rail).pipe(
        Effect.catch((error) => Effect.logWarning(`sweeping the deposit addresses on ${rail.rail} failed`, error)),
        // A defect in one pass must not stop later passes.
        Effect.catchDefect((defect) =>
          Effect.logError(`sweeping the deposit addresses on ${rail.rail} failed`, defect)
        ),
        Effect.repeat(Schedule.spaced(everySeconds)),
        Effect.asVoid
      )

/** Advances open sweeps and begins due sweeps. */
export const pass = Effect.fn("Sweeping.pass")(function* (rail: RailProvider) {
  const { sweeper } = rail
  if (sweeper === undefined || !isNetwork(rail.rail)) return
  const sweeps = yield* Sweeps
  const open = yield* sweeps.open(rail.rail)
  yield* Effect.forEach(open, (sweep) => advance(rail, sweeper, sweep), { discard: true })
  yield* beginDue(rail, sweeper, rail.rail, open)
})

const advance = Effect.fnUntraced(function* (rail: RailProvider, sweeper: Sweeper, sweep: Sweep) {
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
        yield* Effect.logWarning(
          `sweep ${sweep.sequence} on ${sweep.network} is overdue, but its transaction could not be replaced`,
          next.failure
        )
        // Sends the last transaction again, because the chain might have lost it. Even a transaction that fails uses
        // up its nonce, so that later nonces can execute.
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
      // Another owner is sweeping the address, or has used the number.
      if (!isBegun) return
      sequence += 1
      room -= 1
      yield* rail.send(payment)
    }
  }
  if (refusal !== undefined)
    yield* Effect.logWarning(`some deposit addresses on ${network} could not be swept`, refusal)
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
