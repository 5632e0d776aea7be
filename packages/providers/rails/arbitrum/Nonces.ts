/**
 * The numbers of the account that pays. The venue counts those that it gives away; the chain counts what the account has sent, by
 * whomever: an operator may have moved something by hand.
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

/** How many this block and those before it have used up, as all endpoints say. */
export const usedAt = (view: ChainView, account: string, block: number) =>
  view.agreed((endpoint) => Effect.map(endpoint.ask([Chain.transactionCount(account, block)]), ([count]) => count))

/**
 * One that is used up would never come, and after one that is left out nothing would. So what others have used is passed over
 * only once it is final:
 *
 *     used up by the chain:    below `open`        from `open` to `next`             above `next`
 *     what that means:         another account     ours come, or are on their way    somebody else sent some
 *     the number:              none                `next`                            the chain's, when that is final
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
