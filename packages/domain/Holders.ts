/** How many users hold a contract: each counts once, by what all accounts of it hold together (rule 1.10). */

export interface Holders {
  readonly longUsers: number
  readonly shortUsers: number
}

export const noHolders: Holders = { longUsers: 0, shortUsers: 0 }

/** It was so when a minute of UTC began, and before it was otherwise. */
export interface HoldersCounted extends Holders {
  readonly _tag: "HoldersCounted"
  readonly atMillis: number
}

export const areSame = (one: Holders, other: Holders): boolean =>
  one.longUsers === other.longUsers && one.shortUsers === other.shortUsers
