/** Rails: the chains and the bank by which deposits arrive and withdrawals leave. */
import { Schema } from "effect"

/** Chain. The venue accepts one token on each chain, see `assets`. */
export const Network = Schema.Literals(["ARBITRUM_ONE", "TRON"])
export type Network = typeof Network.Type

/** Returns true if a value is the name of a chain. */
export const isNetwork = Schema.is(Network)

/** Rail: a chain, or the bank. One owner in the cluster decides the order of the rail's payments. */
export const RailName = Schema.Literals(["ARBITRUM_ONE", "TRON", "BANK"])
export type RailName = typeof RailName.Type

/** Payment rail by which the bank receives deposits. */
export const DepositRail = Schema.Literals(["ach_push", "wire", "fednow"])
export type DepositRail = typeof DepositRail.Type

/** Payment rail by which the bank sends withdrawals. */
export const PayoutRail = Schema.Literals(["ach_push", "wire"])
export type PayoutRail = typeof PayoutRail.Type

/** Method of a deposit: a chain, or a payment rail of the bank. */
export const DepositMethod = Schema.Literals([...Network.literals, ...DepositRail.literals])
export type DepositMethod = typeof DepositMethod.Type

/** Method of a withdrawal: a chain, or a payment rail of the bank. */
export const WithdrawalMethod = Schema.Literals([...Network.literals, ...PayoutRail.literals])
export type WithdrawalMethod = typeof WithdrawalMethod.Type

/** Returns the rail of a method: the chain itself, or the bank. */
export const railOf = (method: DepositMethod): RailName => (isNetwork(method) ? method : "BANK")

export const assets = { ARBITRUM_ONE: "USDC", TRON: "USDT", BANK: "USD" } as const satisfies Record<RailName, string>
