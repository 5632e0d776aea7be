/** The deposits and withdrawals that a seed determines. Amount and destination together identify a withdrawal. */
import { createHash } from "node:crypto"
import * as TronAddress from "@venue/providers/rails/tron/TronAddress"
import type { Random } from "../../chaos/Random.ts"

export const users = 12

export type Rail = "ARBITRUM_ONE" | "TRON" | "BANK"
export type Method = "ARBITRUM_ONE" | "TRON" | "ach_push"

export interface DepositPlan {
  readonly user: number
  readonly rail: Rail
  readonly micros: bigint
}

export interface WithdrawalPlan {
  readonly user: number
  readonly method: Method
  /** Amount in 1e-6 USD, unique in the run. */
  readonly micros: bigint
  /** Address, unique in the run, or null for the user's linked bank account. */
  readonly destination: string | null
  /**
   * Idempotency key, with which the request is repeated until it has a response. A request without a key is sent
   * once.
   */
  readonly key: string | null
  /** True for a destination that an operator has flagged, so that the withdrawal is reviewed. */
  readonly isFlagged: boolean
  /** Outcome that the simulated rail assigns to the next payment. A stalled payment is replaced after one minute. */
  readonly fate: "fail" | "stall" | null
}

export const railOf = (method: Method): Rail => (method === "ach_push" ? "BANK" : method)

/** Fees from rule 18, repeated here because this checker shares no code with the venue. */
export const feeMicros: Readonly<Record<Method, bigint>> = {
  ARBITRUM_ONE: 1_000_000n,
  TRON: 3_000_000n,
  ach_push: 1_000_000n
}

export const deposits = (count: number, random: Random): ReadonlyArray<DepositPlan> =>
  Array.from({ length: count }, () => ({
    user: random.whole(users),
    rail: random.pick(["ARBITRUM_ONE", "ARBITRUM_ONE", "TRON", "TRON", "BANK"] as const),
    micros: BigInt(2_000 + random.whole(8_000)) * 10_000n
  }))

/** Draws the withdrawals. Only a long run contains stalled payments, which take one minute longer. */
export const withdrawals = (count: number, isLong: boolean, random: Random): ReadonlyArray<WithdrawalPlan> =>
  Array.from({ length: count }, (_, index) => {
    const method = random.pick(["ARBITRUM_ONE", "ARBITRUM_ONE", "TRON", "TRON", "ach_push"] as const)
    const drawn = random.next()
    return {
      user: random.whole(users),
      method,
      micros: 20_000_000n + BigInt(index) * 10_000n,
      destination: destinationOf(method, index),
      key: random.chance(0.8) ? `treasury-${index}` : null,
      isFlagged: method !== "ach_push" && random.chance(0.06),
      fate: drawn < 0.06 ? "fail" : isLong && drawn < 0.08 ? "stall" : null
    }
  })

const destinationOf = (method: Method, index: number): string | null => {
  if (method === "ach_push") return null
  const address = `0x${createHash("sha256").update(`destination ${index}`).digest("hex").slice(0, 40)}`
  return method === "TRON" ? TronAddress.ofEvm(address) : address
}
