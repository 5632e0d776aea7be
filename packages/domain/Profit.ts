/** What was made of what: profit beside the money it was made with, in 1e-6 USD. */

/** In 1e-6 percent, cut towards zero; 0 where there was no money to make it of (rule 8.11). */
export const percentE6 = (profit: bigint, base: bigint): bigint => (base <= 0n ? 0n : (profit * wholeE6) / base)

/** A hundred percent. */
const wholeE6 = 100_000_000n
