/**
 * Numbers of users who hold a contract. Each user is counted once, by the net position over all their accounts (rule
 * 1.10).
 */

/** Numbers of users who are net long and who are net short. */
export interface Holders {
  readonly longUsers: number
  readonly shortUsers: number
}

export const noHolders: Holders = { longUsers: 0, shortUsers: 0 }

/** Holder counts at the start of a UTC minute, recorded only if they differ from the previous counts. */
export interface HoldersCounted extends Holders {
  readonly _tag: "HoldersCounted"
  readonly atMillis: number
}

/** Returns true if both counts are equal. */
export const areSame = (a: Holders, b: Holders): boolean => a.longUsers === b.longUsers && a.shortUsers === b.shortUsers
