/** Exact division of a position and its money among the accounts that take the position over. */

/** One taker: its maximum lots, and its weight (above zero) in the division. */
export interface Share {
  readonly weight: number
  readonly mostLots: number
}

/** Divides lots by weight, rounded down and capped at each maximum. The first taker with room gets the remainder. */
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

/** Returns how many of the lots the money can pay for. `perLot` is the change in money per lot, negative for a cost. */
export const affordable = (money: bigint, perLot: bigint, lots: number): number =>
  perLot >= 0n ? lots : Math.min(lots, Number(money / -perLot))

/** Returns the part of an amount that belongs to `lots` out of `allLots`, rounded down, also for a negative amount. */
export const partOf = (amount: number, lots: number, allLots: number): number => {
  const product = BigInt(amount) * BigInt(lots)
  const whole = product / BigInt(allLots)
  return Number(whole * BigInt(allLots) > product ? whole - 1n : whole)
}
