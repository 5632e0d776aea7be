/** Balances of deposit addresses, for sweeping with the cold key. */
import { Effect, Stream } from "effect"
import type { RailUnavailable } from "../RailProvider.ts"
import * as TronAddress from "./TronAddress.ts"
import type { TronNodes } from "./TronNodes.ts"

export interface TronBalancesOptions {
  readonly nodes: TronNodes
  readonly token: TronAddress.AddressHex
  readonly addressAt: (index: number) => string
}

export interface TronBalance {
  readonly index: number
  readonly address: string
  /** In 1e-6 USD. */
  readonly amount: bigint
}

/**
 * Returns the addresses whose index is below a limit and whose balance in final blocks is at least `least`, by index.
 */
export const atLeast = (
  { addressAt, nodes, token }: TronBalancesOptions,
  count: number,
  least: bigint
): Stream.Stream<TronBalance, RailUnavailable> =>
  Stream.range(0, count - 1).pipe(
    Stream.mapEffect(
      (index) => {
        const address = addressAt(index)
        const balance = nodes.first((node) => node.balanceOf(token, TronAddress.hexOf(address)!))
        return Effect.map(balance, (amount) => ({ index, address, amount }))
      },
      { concurrency: 8 }
    ),
    Stream.filter(({ amount }) => amount >= least)
  )
