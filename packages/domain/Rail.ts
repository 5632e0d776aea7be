/** The ways by which money comes in and goes out. */
import { Schema } from "effect"

/** The chains; on each of them the venue takes one token. */
export const Network = Schema.Literals(["ARBITRUM_ONE", "TRON"])
export type Network = typeof Network.Type

export const isNetwork = Schema.is(Network)

/** Each has one owner in the cluster, since what leaves by it needs one order. */
export const RailName = Schema.Literals(["ARBITRUM_ONE", "TRON", "BANK"])
export type RailName = typeof RailName.Type

/** A bank takes payments in by these. */
export const DepositRail = Schema.Literals(["ach_push", "wire", "fednow"])
export type DepositRail = typeof DepositRail.Type

/** It sends them out by these. */
export const PayoutRail = Schema.Literals(["ach_push", "wire"])
export type PayoutRail = typeof PayoutRail.Type

/** What a deposit names: a chain, or the way of the bank. */
export const DepositMethod = Schema.Literals([...Network.literals, ...DepositRail.literals])
export type DepositMethod = typeof DepositMethod.Type

/** What a withdrawal names. */
export const WithdrawalMethod = Schema.Literals([...Network.literals, ...PayoutRail.literals])
export type WithdrawalMethod = typeof WithdrawalMethod.Type

export const railOf = (method: DepositMethod): RailName => (isNetwork(method) ? method : "BANK")

/** What moves on each. */
export const assets = { ARBITRUM_ONE: "USDC", TRON: "USDT", BANK: "USD" } as const satisfies Record<RailName, string>
