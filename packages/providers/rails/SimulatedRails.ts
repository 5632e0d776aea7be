/**
 * Controls for simulated rails, used by a development venue's operator interface. The rails are in
 * `packages/simulation`.
 */
import type { RailName } from "@venue/domain/Rail"
import { Context, type Effect, Schema } from "effect"
import { getAddress } from "viem"
import type { RailProvider, RailUnavailable } from "./RailProvider.ts"

/** Fate of a payment: paid, failed, or left out of every block so that it must be sent again. */
export const Fate = Schema.Literals(["pay", "fail", "stall"])
export type Fate = typeof Fate.Type

/** A payment that the simulated rail received. The amount is in 1e-6 USD. */
export const SimulatedPayment = Schema.Struct({
  reference: Schema.String,
  withdrawalId: Schema.String,
  sequence: Schema.Number,
  to: Schema.String,
  amount: Schema.BigInt,
  /** A cancel pays nothing and uses up its number. */
  fate: Schema.Literals([...Fate.literals, "cancel"])
})
export type SimulatedPayment = typeof SimulatedPayment.Type

export interface Simulated {
  readonly provider: RailProvider
  /** Adds an incoming transfer to an address or with a message; returns its hash. */
  readonly deposit: (to: string, amount: bigint, paymentRail: string | null) => Effect.Effect<string, RailUnavailable>
  /** Replaces the newest blocks. If `comesAgain`, the replaced transfers enter the next block. */
  readonly reorganise: (blocks: number, comesAgain: boolean) => Effect.Effect<void, RailUnavailable>
  /** Returns a transfer to its sender. The result is false if the transfer does not exist. */
  readonly takeBack: (txHash: string) => Effect.Effect<boolean, RailUnavailable>
  readonly nextFate: (fate: Fate) => Effect.Effect<void, RailUnavailable>
  /** Makes the rail unreachable for this long. */
  readonly cutOff: (seconds: number) => Effect.Effect<void, RailUnavailable>
  /** Adds a balance without a transfer; can be negative. */
  readonly addUntold: (amount: bigint) => Effect.Effect<void, RailUnavailable>
  readonly payments: Effect.Effect<ReadonlyArray<SimulatedPayment>, RailUnavailable>
}

/** Simulated rails. Empty unless a development venue provides them. */
export const SimulatedRails = Context.Reference<ReadonlyMap<RailName, Simulated>>("@venue/providers/SimulatedRails", {
  defaultValue: () => new Map()
})

/**
 * Returns the receiver of a deposit. Letter case is ignored in an EVM address, but not in a TRON address or a bank
 * message.
 */
export const receiverOf = (rail: RailName, to: string): string =>
  rail === "ARBITRUM_ONE" && /^0x[0-9a-f]{40}$/i.test(to) ? getAddress(`0x${to.slice(2).toLowerCase()}`) : to
