/** The numbers of an account, as the chain counts them. */
import { Effect } from "effect"
import * as Chain from "./Chain.ts"
import type { ChainView } from "./RpcEndpoints.ts"

/** How many this block and those before it have used up, as all endpoints say. */
export const usedAt = (view: ChainView, account: string, block: number) =>
  view.agreed((endpoint) => Effect.map(endpoint.ask([Chain.transactionCount(account, block)]), ([count]) => count))
