/** The venue's own accounts on Arbitrum, reported by the signer. */
import { Effect } from "effect"
import type { RailUnavailable } from "../RailProvider.ts"
import type { Signer } from "../Signer.ts"
import { getAddress, isAddress } from "viem"
import { unavailable } from "./RpcEndpoints.ts"

/** Checksummed addresses. */
export interface SignerAccounts {
  /** Pays withdrawals and receives sweeps. */
  readonly hot: string
  /** Pays the gas of sweeps. */
  readonly gasPayer: string
}

export const of = ({ accounts }: Signer["Service"]): Effect.Effect<SignerAccounts, RailUnavailable> =>
  Effect.flatMap(Effect.mapError(accounts, unavailable), ({ gasPayer, hot }) => {
    if (hot === undefined || gasPayer === undefined)
      return Effect.fail(unavailable("the wallet has no keys for Arbitrum One"))
    if (![hot, gasPayer].every((account) => isAddress(account, { strict: false })))
      return Effect.fail(unavailable("the wallet returned invalid addresses"))
    return Effect.succeed({ hot: getAddress(hot), gasPayer: getAddress(gasPayer) })
  })
