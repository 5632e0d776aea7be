/**
 * Number of users with a position in a contract. A user counts once, by the net position over all of the user's
 * accounts (rule 1.10).
 */

/** Number of users who are net long and net short. */
export interface Holders {
  readonly longUsers: number
  readonly shortUsers: number
}

/** Counts of a contract without positions. */
export const noHolders: Holders = { longUsers: 0, shortUsers: 0 }

/** Holder counts at the start of a UTC minute, recorded when they differ from the previous counts. */
export interface HoldersCounted extends Holders {
  readonly _tag: "HoldersCounted"
  readonly atMillis: number
}

/** Returns true if both counts are equal. */
export const areSame = (a: Holders, b: Holders): boolean => a.longUsers === b.longUsers && a.shortUsers === b.shortUsers
