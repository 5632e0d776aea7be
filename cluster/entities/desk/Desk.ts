/** Desk entity, which serves a fixed share of the users. Sends orders to markets without awaiting a response. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { railOf } from "@venue/domain/Rail"
import type { Journal } from "@venue/journal/Journal"
import type { ReadTables } from "@venue/storage/history/ReadTables"
import { closure, WithdrawalsBlocked } from "@venue/domain/VenueMode"
import * as Ledger from "@venue/ledger/Ledger"
import { VenueModes } from "@venue/storage/access/VenueModes"
import type { DeskReports } from "@venue/storage/audit/DeskReports"
import { Effect, type Layer } from "effect"
import { Entity, Sharding } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Feed } from "../../feed/Feed.ts"
import { MarketClient } from "../../clients/MarketClient.ts"
import { RailClient } from "../../clients/RailClient.ts"
import {
  type AccountsAtRisk,
  type AccountSummary,
  Desk,
  noCost,
  type RenewedConnection,
  type SeenConnection,
  TooManyConnections
} from "../../protocol/Desk.ts"
import type { Unavailable } from "../../protocol/Market.ts"
import * as RestCharge from "../../protocol/RestCharge.ts"
import { Interception, LocalEntities, type LocalDesk } from "../../clients/LocalEntities.ts"
import * as Places from "../../clients/Places.ts"
import { VenueSettings } from "../../VenueSettings.ts"
import * as AuditReports from "./traders/AuditReports.ts"
import * as Builders from "./orders/Builders.ts"
import * as CommittedHeads from "./traders/CommittedHeads.ts"
import * as DeadManSwitches from "./connections/DeadManSwitches.ts"
import * as DeskMetrics from "./DeskMetrics.ts"
import * as Disconnects from "./connections/Disconnects.ts"
import * as FeeTiers from "./orders/FeeTiers.ts"
import * as Leaving from "./traders/Leaving.ts"
import type { Sender } from "./connections/Gateways.ts"
import * as Liquidations from "./risk/Liquidations.ts"
import * as Previews from "./orders/Previews.ts"
import * as Providers from "./risk/Providers.ts"
import * as RestRate from "./orders/RestRate.ts"
import * as Submissions from "./orders/Submissions.ts"
import { hasReached } from "./traders/ReadBarrier.ts"
import * as TraderCalls from "./traders/TraderCalls.ts"
import type { Trader } from "./traders/Trader.ts"
import * as Traders from "./traders/Traders.ts"
import * as Twaps from "./orders/Twaps.ts"
import * as Waking from "./traders/Waking.ts"

export const DeskLayer: Layer.Layer<
  never,
  never,
  Sharding.Sharding | Journal | ReadTables | VenueModes | DeskReports | LocalEntities | Feed | MarketClient | RailClient
> = Desk.toLayer(
  Effect.gen(function* () {
    const { entityId, shardId } = yield* Entity.CurrentAddress
    const deskId = Places.idOf(entityId)
    const sharding = yield* Sharding.Sharding
    const traders = yield* Traders.make(Effect.sync(() => sharding.hasShardId(shardId)))

    const disconnects = yield* Disconnects.make(traders)
    traders.watch(disconnects.check)
    yield* Waking.wake(traders, deskId)
    disconnects.endOrphans(deskId)

    yield* DeadManSwitches.make(traders, disconnects)
    yield* FeeTiers.make(traders)
    yield* Leaving.make(traders)
    yield* AuditReports.make(deskId, traders)
    const twaps = yield* Twaps.make(traders)
    const liquidations = yield* Liquidations.make(traders, twaps)
    const { unwrittenCount } = traders
    yield* DeskMetrics.make(deskId, { atRisk: () => atRisk(traders), left: liquidations.left, unwrittenCount })
    const submissions = yield* Submissions.make(deskId, traders, twaps, disconnects)
    const calls = yield* TraderCalls.make(traders)
    const preview = Previews.make(calls, submissions, yield* MarketClient)
    const { appoint, register } = yield* Builders.make(traders)
    const spendRest = yield* RestRate.make
    yield* registerLocal(deskId, {
      submit: submissions.now,
      summary: calls.summaryNow,
      spendRest,
      isEndingOrphans: disconnects.isEndingOrphans,
      isArmed: disconnects.isArmed
    })
    const { instruments } = yield* VenueSettings
    const feed = yield* Feed
    const modes = yield* VenueModes
    const caughtUp = yield* CommittedHeads.make
    return Desk.of({
      Submit: ({ payload }) => Rpc.fork(submissions.submit(payload.submissions)),
      ...reads(calls, instruments),
      Preview: ({ payload }) => Rpc.fork(preview(payload)),
      AtRisk: () => Rpc.fork(Effect.sync(() => atRisk(traders))),
      LeftPositions: () => Rpc.fork(Effect.sync(liquidations.left)),
      ...changes(calls, disconnects, transferring(modes, caughtUp)),
      ...treasury(calls, withdrawing(modes, caughtUp), yield* RailClient),
      AppointProvider: ({ payload: { cost, userId, ...command } }) =>
        Rpc.fork(
          calls.change(
            userId,
            cost,
            { _tag: "AppointProvider", ...command },
            Providers.joined(command, (symbol) => instruments.has(symbol))
          )
        ),
      Providers: () => Rpc.fork(Effect.map(traders.caughtUp, () => Providers.limits(traders))),
      RegisterBuilder: ({ payload }) => Rpc.fork(register(payload)),
      AppointBuilder: ({ payload }) => Rpc.fork(appoint(payload)),
      ...presence(traders, disconnects, feed),
      SpendRest: ({ payload: { bucket, userId, wantsRemaining, weight } }) =>
        Rpc.fork(Effect.sync(() => RestCharge.encode(spendRest(userId, bucket, weight), wantsRemaining === true))),
      SpendMessages: ({ payload: { cost, userId } }) => Rpc.fork(Effect.sync(() => calls.spend(userId, cost))),
      Wake: () => Effect.void
    })
  }),
  { maxIdleTime: "365 days" }
)

/** Registers the desk in `LocalEntities` while the desk runs. */
const registerLocal = Effect.fnUntraced(function* (deskId: string, calls: LocalDesk) {
  const { desks } = yield* LocalEntities
  const local = (yield* Interception).desk(calls)
  desks.set(deskId, local)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      if (desks.get(deskId) === local) desks.delete(deskId)
    })
  )
})

type Handlers = Parameters<typeof Desk.of>[0]

const reads = (
  { read }: TraderCalls.TraderCalls,
  instruments: ReadonlyMap<MarketSymbol, unknown>
): Pick<Handlers, "Summary" | "Balances" | "Orders" | "Leverages" | "Watermarks" | "JournalHead" | "FeeTier"> => ({
  Summary: ({ payload }) => Rpc.fork(read(payload, TraderCalls.summary)),
  Balances: ({ payload }) => Rpc.fork(read(payload, TraderCalls.balances)),
  Orders: ({ payload }) => Rpc.fork(read(payload, TraderCalls.openOrders)),
  Leverages: ({ payload }) =>
    Rpc.fork(
      read(payload, ({ ledger }, accountId) =>
        [...instruments.keys()].map((symbol) => ({ symbol, leverage: Ledger.leverage(ledger, accountId, symbol) }))
      )
    ),
  Watermarks: ({ payload }) => Rpc.fork(read(payload, (trader) => trader.watermarks())),
  JournalHead: ({ payload }) => Rpc.fork(read(payload, (trader) => trader.journalSeq())),
  FeeTier: ({ payload }) => Rpc.fork(read(payload, ({ ledger }) => ledger.tier))
})

/** Counts only loaded traders, because every trader with a position is loaded. */
const atRisk = (traders: Traders.Traders): AccountsAtRisk => {
  let [warned, inLiquidation, waiting] = [0, 0, traders.pendingCount()]
  for (const trader of traders.all()) {
    if (!trader.isLive()) {
      waiting++
      continue
    }
    const counted = Ledger.atRisk(trader.ledger)
    warned += counted.warned
    inLiquidation += counted.inLiquidation
  }
  return { warned, inLiquidation, waiting }
}

type CaughtUp = Effect.Success<typeof CommittedHeads.make>

/** Checks the venue mode last, immediately before the decision. */
const transferring = (modes: VenueModes["Service"], caughtUp: CaughtUp) => (trader: Trader) =>
  Effect.tap(caughtUp(trader), () => {
    const closed = closure(modes.now())
    return closed === undefined ? Effect.void : Effect.fail(closed)
  })

/** Checks a refusal against the mode in the table, because this node's copy might be out of date. */
const withdrawing = (modes: VenueModes["Service"], caughtUp: CaughtUp) => (trader: Trader) =>
  Effect.tap(caughtUp(trader), () =>
    modes.mayWithdraw()
      ? Effect.void
      : Effect.filterOrFail(
          Effect.mapError(modes.read, () => new WithdrawalsBlocked()),
          modes.mayWithdraw,
          () => new WithdrawalsBlocked()
        )
  )

const changes = (
  { change }: TraderCalls.TraderCalls,
  disconnects: Disconnects.Disconnects,
  transferable: ReturnType<typeof transferring>
): Pick<
  Handlers,
  "Credit" | "Transfer" | "SetLeverage" | "OpenAccount" | "RedeemCode" | "CreditReferrals" | "Arm" | "SetDeadManSwitch"
> => ({
  Credit: ({ payload: { cost, userId, ...command } }) => Rpc.fork(change(userId, cost, { _tag: "Credit", ...command })),
  Transfer: ({ payload: { cost, userId, ...command } }) =>
    Rpc.fork(change(userId, cost, { _tag: "Transfer", ...command }, transferable)),
  SetLeverage: ({ payload: { cost, userId, ...command } }) =>
    Rpc.fork(change(userId, cost, { _tag: "SetLeverage", ...command })),
  OpenAccount: ({ payload: { cost, userId, ...command } }) =>
    Rpc.fork(change(userId, cost, { _tag: "OpenAccount", ...command })),
  RedeemCode: ({ payload: { cost, userId, ...command } }) =>
    Rpc.fork(change(userId, cost, { _tag: "RedeemCode", ...command })),
  // The following commands do not depend on any market.
  CreditReferrals: ({ payload: { userId, ...command } }) =>
    Rpc.fork(change(userId, noCost, { _tag: "CreditReferrals", ...command }, () => Effect.void)),
  SetDeadManSwitch: ({ payload: { cost, userId, ...command } }) =>
    Rpc.fork(change(userId, cost, { _tag: "SetDeadManSwitch", ...command }, () => Effect.void)),
  Arm: ({ payload: { cost, userId, ...command } }) =>
    Rpc.fork(
      change(userId, cost, { _tag: "Arm", ...command }, () =>
        Effect.sync(() => {
          if (command.armed) disconnects.arming(command.connectionId, userId)
        })
      )
    )
})

/** Deposits and returned withdrawals do not depend on any market. */
const atOnce = () => Effect.void

const treasury = (
  { change }: TraderCalls.TraderCalls,
  withdrawable: ReturnType<typeof withdrawing>,
  rails: RailClient["Service"]
): Pick<Handlers, "Withdraw" | "ReturnWithdrawal" | "Deposit" | "ReverseDeposit"> => ({
  Withdraw: ({ payload: { cost, userId, ...command } }) =>
    Rpc.fork(
      Effect.tap(change(userId, cost, { _tag: "Withdraw", ...command }, withdrawable), () =>
        // Wakes the rail, which otherwise pays at its next poll.
        Effect.forkDetach(Effect.ignore(rails.wake(railOf(command.method))))
      )
    ),
  ReturnWithdrawal: ({ payload: { cost, userId, ...command } }) =>
    Rpc.fork(change(userId, cost, { _tag: "ReturnWithdrawal", ...command }, atOnce)),
  Deposit: ({ payload: { cost, userId, ...command } }) =>
    Rpc.fork(change(userId, cost, { _tag: "Deposit", ...command }, atOnce)),
  ReverseDeposit: ({ payload: { cost, userId, ...command } }) =>
    Rpc.fork(change(userId, cost, { _tag: "ReverseDeposit", ...command }, atOnce))
})

const presence = (
  traders: Traders.Traders,
  disconnects: Disconnects.Disconnects,
  feed: Feed["Service"]
): Pick<Handlers, "Attach" | "Detach" | "Renew" | "Leave"> => {
  const detach = (sender: Sender, connection: SeenConnection) =>
    Effect.map(traders.wake(connection.userId), (trader) => disconnects.detach(sender, connection, trader))
  /**
   * Whether a connection has closed although its gateway considers it armed. False while the trader is not loaded and
   * the state is therefore unknown.
   */
  const hasEnded = ({ connectionId, isArmed, userId }: RenewedConnection) => {
    const trader = isArmed ? traders.get(userId) : undefined
    return trader !== undefined && !Ledger.armed(trader.ledger).has(connectionId)
  }
  return {
    Attach: ({ payload }) =>
      Rpc.fork(
        Effect.suspend((): Effect.Effect<void, Unavailable | TooManyConnections> => {
          const { connectionId, userId } = payload
          if (!disconnects.attach(payload, { connectionId, userId, ageMillis: 0 })) {
            return Effect.fail(new TooManyConnections({ userId }))
          }
          return Effect.asVoid(traders.wake(userId))
        })
      ),
    Detach: ({ payload }) => Rpc.fork(detach(payload, payload)),
    Renew: ({ payload }) =>
      Rpc.fork(
        Effect.sync(() => {
          const areCounted = disconnects.renew(payload, payload.connections, payload.areAll)
          const summaries: Array<AccountSummary> = []
          for (const { accountId, userId, wanted } of payload.connections) {
            const trader = traders.get(userId)
            if (trader === undefined) traders.startWaking(userId)
            // The summary would be incomplete before every market is live.
            if (!wanted || trader?.isLive() !== true || !hasReached(feed, trader, payload.heads ?? [])) continue
            const summary = TraderCalls.summary(trader, accountId)
            if (summary !== undefined) summaries.push(summary)
          }
          const ended = payload.connections.filter(hasEnded).map(({ connectionId }) => connectionId)
          return { summaries, ended, ...(areCounted ? {} : { wantsAll: true }) }
        })
      ),
    Leave: ({ payload }) =>
      Rpc.fork(
        Effect.forEach(payload.connections, (connection) => detach(payload, connection), {
          discard: true,
          concurrency: "unbounded"
        }).pipe(Effect.tap(() => Effect.sync(() => disconnects.leave(payload.gatewayId))))
      )
  }
}
