/** Who gets how many lots of a position that goes to others, and what that leaves of money. All exact. */

/** One that gets at most so many lots, and of what all may get a part by its weight, which is above zero. */
export interface Share {
  readonly weight: number
  readonly mostLots: number
}

/** Each gets its part by weight, rounded down, as far as it may; what is left then goes to the first that may have more. */
export const proRata = (lots: number, shares: ReadonlyArray<Share>): ReadonlyArray<number> => {
  let weights = 0n
  for (const { weight } of shares) weights += BigInt(weight)
  const given = shares.map(({ mostLots, weight }) =>
    Math.min(mostLots, Number((BigInt(lots) * BigInt(weight)) / weights))
  )
  let left = given.reduce((rest, each) => rest - each, lots)
  return given.map((each, place) => {
    const more = Math.min(left, shares[place]!.mostLots - each)
    left -= more
    return each + more
  })
}

/** Of so many lots as many may go as do not use up what is there, of which each takes a part or to which it adds one. */
export const affordable = (money: bigint, perLot: bigint, lots: number): number =>
  perLot >= 0n ? lots : Math.min(lots, Number(money / -perLot))

/** A part of an amount of money for some of all lots, rounded down also below zero. */
export const partOf = (amount: number, lots: number, allLots: number): number => {
  const product = BigInt(amount) * BigInt(lots)
  const whole = product / BigInt(allLots)
  return Number(whole * BigInt(allLots) > product ? whole - 1n : whole)
}
