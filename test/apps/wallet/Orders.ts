/** Signing orders as a venue sends them, with a test's changes. */
import type { ArbitrumCancel, ArbitrumPayment, ArbitrumSweep } from "@venue/providers/rails/SigningOrder"

export const token = `0x${"7".repeat(40)}`
export const destination = "0x90F79bf6EB2c4f870365E785982E1f101E93b906"

export const limits = {
  chainId: 42_161,
  token,
  maxPayment: 100_000_000n,
  maxPaidPerDay: 250_000_000n,
  maxFeePerGas: 5_000_000_000n
}

const sending = {
  chainId: 42_161,
  token,
  nonce: 4,
  gas: 80_000n,
  maxFeePerGas: 2_000_000n,
  maxPriorityFeePerGas: 1_000_000n
}

export const payment = (changed: Partial<ArbitrumPayment> = {}): ArbitrumPayment => ({
  _tag: "ArbitrumPayment",
  ...sending,
  withdrawalId: "withdrawal-1",
  destination,
  amount: 40_000_000n,
  ...changed
})

export const cancel = (changed: Partial<ArbitrumCancel> = {}): ArbitrumCancel => ({
  _tag: "ArbitrumCancel",
  ...sending,
  withdrawalId: "withdrawal-1",
  ...changed
})

export const sweep = (changed: Partial<ArbitrumSweep> = {}): ArbitrumSweep => ({
  _tag: "ArbitrumSweep",
  ...sending,
  index: 3,
  amount: 70_000_000n,
  authorization: `0x${"5".repeat(64)}`,
  validBeforeSeconds: 2_000_000_000,
  ...changed
})
