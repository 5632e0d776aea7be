/** The venue's holdings on Arbitrum: its own accounts and the deposit addresses. */
import { confirmationsNeeded } from "@venue/domain/Deposit"
import { Array as Arr, Effect, Option } from "effect"
import type { Holdings, HoldingsQuestion, RailUnavailable } from "../RailProvider.ts"
import * as Balances from "./Balances.ts"
import * as Bulk from "./Bulk.ts"
import * as Chain from "./Chain.ts"
import * as Cursor from "./Cursor.ts"
import { inclusionOf } from "./Outcomes.ts"
import type { RpcEndpoint } from "./RpcEndpoint.ts"
import { type ChainView, fail, type RpcEndpoints, unavailable } from "./RpcEndpoints.ts"

export interface HoldingsOptions {
  readonly endpoints: RpcEndpoints
  /** In lower case. */
  readonly token: string
  /** Receives the paying account's balances: money in 1e-6 USD, native currency in wei. */
  readonly paying?: (balances: { readonly money: bigint; readonly gas: bigint | undefined }) => void
}

/** Returns the holdings at a block that contains all credited arrivals and all settled payments. */
export const holdings = Effect.fnUntraced(function* (
  { endpoints, paying = () => {}, token }: HoldingsOptions,
  hot: string,
  { addresses, cursor, sent }: HoldingsQuestion
): Effect.fn.Return<Option.Option<Holdings>, RailUnavailable> {
  const view = yield* endpoints.look
  const block = Math.max(confirmedBlock(view), view.final.number)
  const { read } = yield* Effect.mapError(Cursor.decode(cursor), unavailable)
  if (read.number < block) return Option.none()
  const balances = yield* balancesAt(view, token, [...new Set([hot, ...addresses])], block)
  paying({ money: balances[0]!, gas: yield* gasOf(view, hot) })
  const hasLeft = yield* Effect.forEach(
    sent,
    (payments) =>
      Effect.map(
        view.agreed((endpoint) => inclusionOf(endpoint, payments)),
        (included) => {
          const payment = payments.find(({ reference }) => reference === included?.reference)
          return payment?.purpose === "pay" && included!.isSuccess && included!.block <= block
        }
      ),
    { concurrency: 4 }
  )
  const amount = balances.reduce((sum, balance) => sum + balance, 0n)
  return Option.some({ amount, position: `block ${block}`, block, hasLeft })
})

/** Returns the account's native currency, or undefined if it cannot be read now; no decision depends on it. */
const gasOf = (view: ChainView, account: string) =>
  view
    .agreed((endpoint) => Effect.map(endpoint.ask([Chain.balance(account, view.head.number)]), ([balance]) => balance))
    .pipe(Effect.orElseSucceed(() => undefined))

/** Highest block whose arrivals all have enough confirmations. */
export const confirmedBlock = ({ head }: ChainView): number => Math.max(0, head.number - confirmationsNeeded + 1)

/** Returns the accounts' balances at one block, in request order. */
export const balancesAt = Effect.fn("Arbitrum.balancesAt")(function* (
  view: ChainView,
  token: string,
  accounts: ReadonlyArray<string>,
  block: number
) {
  return yield* view.agreed((endpoint) => balancesOf(endpoint, token, accounts, block))
})

/** Requests groups of accounts, several groups per HTTP request. */
const balancesOf = Effect.fnUntraced(function* (
  endpoint: RpcEndpoint,
  token: string,
  accounts: ReadonlyArray<string>,
  block: number
) {
  const { limits, sizes } = endpoint
  const most = Math.min(sizes.balances, Balances.maxAccounts)
  const ask = Effect.fnUntraced(function* (start: number, part: number, size: number) {
    const groups = Arr.chunksOf(accounts.slice(start, start + part), size)
    const answers = yield* endpoint.ask(groups.map((group) => Chain.view(Balances.messageOf(token, group), block)))
    return (yield* Effect.forEach(groups, (group, index) => {
      const balances = Balances.read(group, answers[index]!)
      return balances === undefined ? fail(endpoint, "the endpoint returned no balances") : Effect.succeed(balances)
    })).flat()
  })
  return yield* Bulk.inParts(limits.balances, most, accounts.length, ask, sizes.calls)
})
