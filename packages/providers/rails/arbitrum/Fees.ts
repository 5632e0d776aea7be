/** Gas fees of a transaction, in wei per unit of gas. */
export interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** Twice the current base fee, so that the base fee can double before the transaction must wait. */
export const first = (baseFeePerGas: bigint): Fees => ({
  maxFeePerGas: 2n * baseFeePerGas + tip,
  maxPriorityFeePerGas: tip
})

/** Nodes accept a replacement for a nonce only if both fees rise by an eighth, rounded up. */
export const next = (previous: Fees, baseFeePerGas: bigint): Fees => {
  const least = first(baseFeePerGas)
  return {
    maxFeePerGas: maxOf(least.maxFeePerGas, raised(previous.maxFeePerGas)),
    maxPriorityFeePerGas: maxOf(least.maxPriorityFeePerGas, raised(previous.maxPriorityFeePerGas))
  }
}

const raised = (fee: bigint): bigint => (fee * 9n + 7n) / 8n
const maxOf = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** Arbitrum ignores the tip, but replacements must be able to raise it. */
const tip = 1_000_000n
