/**
 * Nonces of the paying account. The venue counts the nonces that it assigns. The chain counts all transactions from
 * the account, including manual ones.
 */
import type { PaymentObstacle } from "@venue/domain/TreasuryReason"
import { Effect } from "effect"
import type { UsedSequences } from "@venue/domain/Withdrawal"
import { type RailUnavailable, SigningRefused } from "../RailProvider.ts"
import type { Signer } from "../Signer.ts"
import * as Chain from "./Chain.ts"
import { type ChainView, rail, type RpcEndpoints } from "./RpcEndpoints.ts"
import * as SignerAccounts from "./SignerAccounts.ts"

export interface NonceOptions {
  readonly endpoints: RpcEndpoints
  readonly signer: Signer["Service"]
}

/** Number of nonces used up to this block, agreed by all endpoints. */
export const usedAt = (view: ChainView, account: string, block: number) =>
  view.agreed((endpoint) => Effect.map(endpoint.ask([Chain.transactionCount(account, block)]), ([count]) => count))

/**
 * Returns the nonce for the next withdrawal. A used nonce would never execute, and a skipped nonce would block all
 * later payments, so nonces used by others are skipped only once their use is final. The chain's count decides:
 *
 * - Below `open`, the account is a different one: refuses.
 * - From `open` to `next`, all transactions are the venue's, executed or pending: returns `next`.
 * - Above `next`, others have sent transactions: returns the count once it is final, and refuses until then.
 */
export const nextSequence = ({ endpoints, signer }: NonceOptions) =>
  Effect.fn("Arbitrum.nextSequence")(function* ({
    next,
    open
  }: UsedSequences): Effect.fn.Return<number, RailUnavailable | SigningRefused> {
    const { hot } = yield* SignerAccounts.of(signer)
    const view = yield* endpoints.look
    const used = yield* usedAt(view, hot, view.head.number)
    if (used < open) return yield* refused({ _tag: "NoncesBehind", account: hot, sent: used, stored: open })
    if (used <= next) return next
    if ((yield* usedAt(view, hot, view.final.number)) === used) return used
    return yield* refused({ _tag: "UnknownTransaction", account: hot })
  })

const refused = (obstacle: PaymentObstacle) => Effect.fail(new SigningRefused({ rail, obstacle }))
