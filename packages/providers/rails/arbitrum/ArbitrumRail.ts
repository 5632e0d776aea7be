/** Rail for Arbitrum One: USDC deposits to addresses from an extended public key, payments from one hot account. */
import { Effect } from "effect"
import { getAddress } from "viem"
import type { RailProvider } from "../RailProvider.ts"
import type { RailSight } from "../RailSight.ts"
import type { Signer } from "../Signer.ts"
import * as Cursor from "./Cursor.ts"
import { arrivalStates } from "./ArrivalStates.ts"
import type { AddressAt } from "./DepositAddresses.ts"
import * as Holdings from "./Holdings.ts"
import * as Nonces from "./Nonces.ts"
import { outcome } from "./Outcomes.ts"
import * as Payments from "./Payments.ts"
import { rail, type RpcEndpoints } from "./RpcEndpoints.ts"
import { scan } from "./Scan.ts"
import * as SignerAccounts from "./SignerAccounts.ts"
import * as Sweeps from "./Sweeps.ts"

export interface ArbitrumOptions {
  readonly endpoints: RpcEndpoints
  readonly signer: Signer["Service"]
  readonly addressAt: AddressAt
  readonly chainId: number
  /** In lower case. */
  readonly token: string
  readonly blocksAtOnce: number
  readonly firstBlock: number | undefined
  readonly maxFeePerGas: bigint
  readonly overdueMillis: number
  /** Smallest balance that is swept, in 1e-6 USD. */
  readonly leastSweep: bigint
}

export const make = (options: ArbitrumOptions): RailProvider => {
  const accounts = SignerAccounts.of(options.signer)
  const scanned = scan({ ...options, hot: Effect.map(accounts, ({ hot }) => hot) })
  let seen: Pick<RailSight, "hotGas" | "hotMoney" | "readBlock"> = {
    readBlock: undefined,
    hotMoney: undefined,
    hotGas: undefined
  }
  return {
    rail,
    addressAt: options.addressAt,
    tokenContract: getAddress(options.token),
    scan: (cursor, watched) =>
      Effect.tap(scanned(cursor, watched), (result) =>
        Effect.sync(() => {
          seen = { ...seen, readBlock: Cursor.readBlockIn(result.cursor) }
        })
      ),
    sight: () => ({ ...options.endpoints.sight(), ...seen }),
    arrivalStates: arrivalStates(options),
    nextSequence: Nonces.nextSequence(options),
    isOrdered: true,
    stalled: options.endpoints.stalled,
    payingAccountIn: Cursor.payingAccountIn,
    check: Payments.check(options),
    sign: Payments.sign(options),
    send: Payments.send(options),
    sweeper: Sweeps.sweeper(options),
    outcome: outcome(options),
    holdings: Effect.fn("Arbitrum.holdings")(function* (question) {
      const { hot } = yield* accounts
      const paying: Holdings.HoldingsOptions["paying"] = ({ gas, money }) => {
        seen = { ...seen, hotMoney: money, hotGas: gas }
      }
      return yield* Holdings.holdings({ ...options, paying }, hot, question)
    })
  }
}
