/** Controls of simulated rails, for the operator interface of a development. The rails are in `packages/simulation`. */
import type { RailName } from "@venue/domain/Rail"
import { Context, type Effect } from "effect"
import { getAddress } from "viem"
import type { RailProvider, RailUnavailable } from "./RailProvider.ts"

/** Fate of a payment: paid, failed, or not included in a block so that it must be sent again. */
export type Fate = "pay" | "fail" | "stall"

export interface Simulated {
  readonly provider: RailProvider
  /** Adds an incoming transfer to an address or with a message; returns its hash. */
  readonly deposit: (to: string, amount: bigint, paymentRail: string | null) => Effect.Effect<string, RailUnavailable>
  /** Replaces the newest blocks; their transfers enter the next block if `comesAgain`. */
  readonly reorganise: (blocks: number, comesAgain: boolean) => Effect.Effect<void, RailUnavailable>
  /** Returns a transfer; the result is false without such a transfer. */
  readonly takeBack: (txHash: string) => Effect.Effect<boolean, RailUnavailable>
  /** Sets the fate of the next payment. */
  readonly nextFate: (fate: Fate) => Effect.Effect<void, RailUnavailable>
  /** Makes the rail unreachable for this long. */
  readonly cutOff: (seconds: number) => Effect.Effect<void, RailUnavailable>
  /** Adds a balance without a transfer; may be negative. */
  readonly addUntold: (amount: bigint) => Effect.Effect<void, RailUnavailable>
  readonly payments: Effect.Effect<ReadonlyArray<SimulatedPayment>, RailUnavailable>
}

/** A payment that the simulated rail received. */
export interface SimulatedPayment {
  readonly reference: string
  readonly withdrawalId: string
  readonly sequence: number
  readonly to: string
  /** In 1e-6 USD. */
  readonly amount: bigint
  /** A cancel pays nothing and uses up the number. */
  readonly fate: Fate | "cancel"
}

/** Simulated rails: none unless a development provides them. */
export const SimulatedRails = Context.Reference<ReadonlyMap<RailName, Simulated>>("@venue/providers/SimulatedRails", {
  defaultValue: () => new Map()
})

/**
 * Returns the receiver of a deposit. Letter case is insignificant in an EVM address, and significant in a TRON address
 * and a bank message.
 */
export const receiverOf = (rail: RailName, to: string): string =>
  rail === "ARBITRUM_ONE" && /^0x[0-9a-f]{40}$/i.test(to) ? getAddress(`0x${to.slice(2).toLowerCase()}`) : to
