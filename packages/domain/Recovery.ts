/** Losses of a restored database: rows that a witness outside the database has seen and the journal lacks. */
import { Schema } from "effect"

/** Newest committed row of a stream that a witness has seen. */
export interface WitnessedRow {
  readonly stream: string
  readonly seq: number
  readonly epoch: number
  /** First 16 hexadecimal digits of the SHA-256 of the row's events. */
  readonly digest: string
}

/** Restriction of a user or an API key that a witness has seen. */
export interface WitnessedFact {
  readonly kind: "user" | "key"
  readonly subject: string
  /** Number of the announcement in the table `revocation`. */
  readonly number: number
  /** True for a frozen user and for a revoked or deleted key. */
  readonly isRestricted: boolean
}

/** Content of the journal for a witnessed stream. */
export interface StoredRow {
  /** Newest row of the stream; 0 without rows. */
  readonly headSeq: number
  readonly headEpoch: number
  /** Epoch and digest of the row with the witnessed number; null if it does not exist. */
  readonly epoch: number | null
  readonly digest: string | null
}

/** Rows of one stream that the journal lacks. */
export interface Loss {
  readonly stream: string
  readonly databaseSeq: number
  readonly databaseEpoch: number
  readonly witnessedSeq: number
  readonly witnessedEpoch: number
  /** First row that is certainly missing. If other rows have taken the numbers, this is the witnessed row itself. */
  readonly firstMissing: number
}

/**
 * Returns the loss of a stream, or undefined if the journal has the witnessed row. A row of another epoch or with other
 * events under the same number shows that the venue went on after a restore.
 */
export const lossOf = (witnessed: WitnessedRow, stored: StoredRow): Loss | undefined => {
  const { digest, epoch, seq, stream } = witnessed
  if (stored.epoch === epoch && stored.digest === digest) return undefined
  return {
    stream,
    databaseSeq: stored.headSeq,
    databaseEpoch: stored.headEpoch,
    witnessedSeq: seq,
    witnessedEpoch: epoch,
    firstMissing: Math.min(stored.headSeq + 1, seq)
  }
}

/** Returns one loss for two findings about the same stream. */
export const merged = (a: Loss, b: Loss): Loss => ({
  ...a,
  witnessedSeq: Math.max(a.witnessedSeq, b.witnessedSeq),
  witnessedEpoch: Math.max(a.witnessedEpoch, b.witnessedEpoch),
  firstMissing: Math.min(a.firstMissing, b.firstMissing)
})

/** Returns one loss for each stream. */
export const mergedByStream = (losses: ReadonlyArray<Loss>): ReadonlyArray<Loss> => {
  const byStream = new Map<string, Loss>()
  for (const loss of losses) {
    const before = byStream.get(loss.stream)
    byStream.set(loss.stream, before === undefined ? loss : merged(before, loss))
  }
  return [...byStream.values()]
}

/** Returns the newest restriction of each user and key. */
export const newestFacts = (facts: ReadonlyArray<WitnessedFact>): ReadonlyArray<WitnessedFact> => {
  const newest = new Map<string, WitnessedFact>()
  for (const fact of facts) {
    const key = `${fact.kind} ${fact.subject}`
    if ((newest.get(key)?.number ?? 0) < fact.number) newest.set(key, fact)
  }
  return [...newest.values()]
}

/** Number of rows that are certainly missing. */
export const missingOf = ({ firstMissing, witnessedSeq }: Pick<Loss, "firstMissing" | "witnessedSeq">): number =>
  witnessedSeq - firstMissing + 1

/**
 *     OPEN → ACCEPTED → CANCELLING → DONE
 *
 * OPEN: operators decide. ACCEPTED: credentials end, restrictions are applied, and the numbers of lost rows are skipped.
 * CANCELLING: resting orders are cancelled. No stream is claimed while a recovery is OPEN or ACCEPTED.
 */
export const RecoveryState = Schema.Literals(["OPEN", "ACCEPTED", "CANCELLING", "DONE"])
export type RecoveryState = typeof RecoveryState.Type

/** States in which no stream is claimed: a claim would take the number of a lost row. */
export const heldStates: ReadonlyArray<RecoveryState> = ["OPEN", "ACCEPTED"]

/**
 * Returns the recovery that is next, or undefined if all are DONE: an ACCEPTED one, then the OPEN one, then the oldest.
 * A second loss can be found while the first is carried out. Orders can be cancelled only after the decision about it,
 * because markets are not claimed before.
 */
export const nextOf = <A extends { readonly recoveryId: number; readonly state: RecoveryState }>(
  recoveries: ReadonlyArray<A>
): A | undefined => {
  const pending = recoveries.filter(({ state }) => state !== "DONE").toSorted((a, b) => a.recoveryId - b.recoveryId)
  const first = (wanted: RecoveryState) => pending.find(({ state }) => state === wanted)
  return first("ACCEPTED") ?? first("OPEN") ?? pending[0]
}

/**
 * Number of missing rows above which a loss cannot be accepted. Skipping writes one row for each number, and a larger
 * loss indicates a wrong database or a damaged witness rather than an old backup.
 */
export const maxAcceptedRows = 50_000_000

/** Number of operators who must accept a loss. */
export const peopleNeeded = 2

/** Longest time in milliseconds by which a signed request can be dated later than its receipt. */
export const longestLeadMillis = 300_000

/**
 * Returns the time from which credentials must be dated. Credentials that were used in the lost time are dated at most
 * `longestLeadMillis` after the loss was found.
 */
export const credentialsFrom = (foundAtMillis: number, acceptedAtMillis: number): number =>
  Math.max(acceptedAtMillis, foundAtMillis + longestLeadMillis)
