/** Profit as a percentage of the invested money. */

/** Returns the profit in 1e-6 % of the base, truncated towards zero; 0 if the base is not above zero (rule 8.11). */
export const percentE6 = (profit: bigint, base: bigint): bigint => (base <= 0n ? 0n : (profit * wholeE6) / base)

/** 100 %. */
const wholeE6 = 100_000_000n
