/**
 * Moves deposits to the hot account by `transferWithAuthorization`. The deposit address signs, and another account
 * sends the transaction and pays its gas.
 */
import type { PaymentObstacle } from "@venue/domain/TreasuryReason"
import { Clock, Effect, Redacted } from "effect"
import { getAddress, keccak256, toHex } from "viem"
import { type RailUnavailable, type Payment, type Sweeper, type SweepOrder, SigningRefused } from "../RailProvider.ts"
import * as Chain from "./Chain.ts"
import type { AddressAt } from "./DepositAddresses.ts"
import * as Holdings from "./Holdings.ts"
import * as Payments from "./Payments.ts"
import { rail } from "./RpcEndpoints.ts"
import * as SignerAccounts from "./SignerAccounts.ts"
import * as Transactions from "./Transactions.ts"

export interface SweepOptions extends Payments.PaymentOptions {
  readonly addressAt: AddressAt
  /** In 1e-6 USD. */
  readonly leastSweep: bigint
}

export const sweeper = (options: SweepOptions): Sweeper => {
  const accounts = SignerAccounts.of(options.signer)
  return {
    due: Effect.fn("Arbitrum.due")(function* (addresses) {
      const view = yield* options.endpoints.look
      const confirmed = yield* Holdings.balancesAt(view, options.token, addresses, Holdings.confirmedBlock(view))
      const held = yield* Holdings.balancesAt(view, options.token, addresses, view.head.number)
      return addresses.flatMap((address, index) => {
        const [amount, now] = [confirmed[index] ?? 0n, held[index] ?? 0n]
        const least = amount < now ? amount : now
        return least >= options.leastSweep ? [{ address, amount: least }] : []
      })
    }),
    firstSequence: Effect.gen(function* () {
      const { gasPayer } = yield* accounts
      const view = yield* options.endpoints.look
      return yield* view.agreed((endpoint) =>
        Effect.map(endpoint.ask([Chain.transactionCount(gasPayer, "latest")]), ([count]) => count)
      )
    }).pipe(Effect.withSpan("Arbitrum.firstSweep")),
    sign: Effect.fn("Arbitrum.signSweep")(function* (
      order: SweepOrder
    ): Effect.fn.Return<Payment, RailUnavailable | SigningRefused> {
      if (options.addressAt(order.index) !== order.address)
        return yield* refused({ _tag: "AddressNotDerived", address: order.address, index: order.index })
      const { gasPayer } = yield* accounts
      const view = yield* options.endpoints.look
      const fees = yield* Payments.feesOf(options, view, yield* Payments.lastOf(order.previous))
      yield* Payments.canPay(view, gasPayer, mostGas * fees.maxFeePerGas)
      const bytes = yield* Payments.signed(options.signer, {
        _tag: "ArbitrumSweep",
        chainId: options.chainId,
        token: options.token,
        nonce: order.sequence,
        gas: mostGas,
        ...fees,
        index: order.index,
        amount: order.amount,
        authorization: authorizationOf(options, order),
        validBeforeSeconds: view.timestampSeconds + validSeconds
      })
      const signed = yield* Transactions.read(Redacted.value(bytes))
      if (signed?.from !== gasPayer || signed.nonce !== order.sequence || signed.to !== getAddress(options.token))
        return yield* refused({ _tag: "SignedOtherPayment" })
      yield* Payments.gasOf(view, { from: gasPayer, to: options.token, data: signed.data }, undefined)
      return {
        attempt: order.previous.length + 1,
        purpose: "pay",
        reference: signed.hash,
        bytes,
        expiresAtMillis: null,
        signedAtMillis: yield* Clock.currentTimeMillis
      }
    })
  }
}

/**
 * Nonce of the authorization, which is valid once. A replacement reuses the nonce, so that at most one transaction
 * moves the money.
 */
const authorizationOf = ({ chainId, token }: SweepOptions, { address, sequence }: SweepOrder): string =>
  keccak256(toHex(`sweep ${chainId} ${token} ${address} ${sequence}`))

const refused = (obstacle: PaymentObstacle) => Effect.fail(new SigningRefused({ rail, obstacle }))

/** Unused gas is not charged. The limit also covers the transaction's data, whose price varies on this chain. */
const mostGas = 1_000_000n
const validSeconds = 86_400
