/** A rail with scripted responses, in any order. */
import {
  type Arrival,
  type Outcome,
  type Payment,
  type RailProvider,
  RailUnavailable
} from "@venue/providers/rails/RailProvider"
import { Effect, Option, Redacted } from "effect"

export const addressAt = (index: number): string => `T-address-${index}`

export const make = () => {
  const rail = "TRON"
  let [arrivals, returned]: [Array<Arrival>, Array<Pick<Arrival, "txHash" | "logIndex">>] = [[], []]
  let [scans, isCutOff] = [0, false]
  const confirmed = new Map<string, number>()
  const outcomes = new Map<string, Outcome["_tag"]>()
  /** Sequence numbers of the payments sent, by withdrawal. */
  const numbers = new Map<string, Set<number>>()
  const answer = <A>(value: () => A) =>
    Effect.suspend(() =>
      isCutOff
        ? Effect.fail(new RailUnavailable({ rail, cause: "the simulated rail is unreachable" }))
        : Effect.sync(value)
    )

  const outcomeOf = (payments: ReadonlyArray<Payment>): Outcome => {
    const { reference } = payments.at(-1)!
    const outcome = outcomes.get(reference.split(" ")[0]!) ?? "Pending"
    if (outcome === "Settled") return { _tag: outcome, reference }
    if (outcome === "Failed") return { _tag: outcome, reference, reason: { _tag: "SimulatedFailure" } }
    return { _tag: outcome }
  }

  const provider: RailProvider = {
    rail,
    addressAt,
    scan: (_, watched) =>
      Effect.andThen(
        watched,
        answer(() => {
          const scan = { arrivals, returned, cursor: String((scans += 1)) }
          arrivals = []
          returned = []
          return scan
        })
      ),
    arrivalStates: (requested) =>
      answer(() =>
        requested.map(({ txHash }) => {
          const confirmations = confirmed.get(txHash) ?? 0
          return confirmations === 0
            ? { _tag: "Gone" as const }
            : { _tag: "Present" as const, confirmations, isFinal: confirmations >= 100 }
        })
      ),
    nextSequence: ({ next }) => Effect.succeed(next),
    isOrdered: false,
    check: () => Effect.void,
    sign: ({ previous, purpose, sequence, withdrawalId }) =>
      Effect.succeed({
        attempt: previous.length + 1,
        purpose,
        reference: `${withdrawalId} ${sequence} ${previous.length}`,
        bytes: Redacted.make(""),
        expiresAtMillis: null,
        signedAtMillis: 0
      }),
    send: ({ reference }) =>
      answer(() => {
        const [withdrawalId = "", sequence] = reference.split(" ")
        numbers.set(withdrawalId, (numbers.get(withdrawalId) ?? new Set()).add(Number(sequence)))
      }),
    outcome: (payments) => answer(() => outcomeOf(payments)),
    holdings: () => answer(() => Option.none())
  }
  return {
    provider,
    numbers,
    see: (arrival: Arrival) => void arrivals.push(arrival),
    takeBack: (txHash: string) => void returned.push({ txHash, logIndex: 0 }),
    stand: (txHash: string, confirmations: number) => void confirmed.set(txHash, confirmations),
    end: (withdrawalId: string, outcome: Outcome["_tag"]) => void outcomes.set(withdrawalId, outcome),
    /** Makes the rail unreachable while `work` runs. */
    cutOff: <A, E, R>(work: Effect.Effect<A, E, R>) =>
      Effect.suspend(() => {
        isCutOff = true
        return Effect.ensuring(
          work,
          Effect.sync(() => {
            isCutOff = false
          })
        )
      })
  }
}
