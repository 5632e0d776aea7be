/** What a transaction offers for its gas. All are in wei of gas. */
export interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** Twice the base fee of now: it may rise as far before the transaction waits. */
export const first = (baseFeePerGas: bigint): Fees => ({
  maxFeePerGas: 2n * baseFeePerGas + tip,
  maxPriorityFeePerGas: tip
})

/** Nodes take another transaction of one nonce only for an eighth more of both, which is rounded up. */
export const next = (previous: Fees, baseFeePerGas: bigint): Fees => {
  const least = first(baseFeePerGas)
  return {
    maxFeePerGas: maxOf(least.maxFeePerGas, raised(previous.maxFeePerGas)),
    maxPriorityFeePerGas: maxOf(least.maxPriorityFeePerGas, raised(previous.maxPriorityFeePerGas))
  }
}

const raised = (fee: bigint): bigint => (fee * 9n + 7n) / 8n
const maxOf = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** Arbitrum takes transactions as they come, and pays no attention to it; yet it must be able to grow. */
const tip = 1_000_000n
