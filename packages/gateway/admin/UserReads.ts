/** Reads one user's accounts, orders, deposits, withdrawals, sessions and API keys, as operators see them. */
import { operatorOrder } from "@venue/api/admin/UserOrders"
import { reviewedWithdrawal } from "@venue/api/admin/Withdrawals"
import { instant } from "@venue/api/Digits"
import { apiKey } from "@venue/api/rest/ApiKeys"
import { deposits as shown } from "@venue/api/treasury/Deposits"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { isPrimary } from "@venue/domain/AccountId"
import type { UserId } from "@venue/domain/UserId"
import * as Count from "@venue/postgres/Count"
import type { Page } from "@venue/postgres/Page"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { type Session, Sessions } from "@venue/storage/access/Sessions"
import { Users } from "@venue/storage/access/Users"
import { Deposits } from "@venue/storage/treasury/Deposits"
import { Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { Effect } from "effect"
import { accountBody } from "../rest/Positions.ts"
import { makeTwoPeopleAbove, peopleNeeded } from "./Withdrawals.ts"

/** Returns reads of the user's desk. */
export const ofTrading = Effect.gen(function* () {
  const desks = yield* DeskClient
  const users = yield* Users
  const { instruments } = yield* VenueSettings
  const readersOf = (userId: UserId) =>
    Effect.map(users.accounts(userId), (accounts) =>
      accounts.map(({ accountId }) => ({ userId, accountId, cost: noCost }))
    )
  return {
    accounts: Effect.fn("UserReads.accounts")(function* (userId: UserId) {
      const data = yield* Effect.forEach(yield* readersOf(userId), (reader) =>
        Effect.map(desks.summary(reader), (summary) => ({
          account_id: reader.accountId,
          is_primary: isPrimary(reader.accountId, userId),
          ...accountBody(instruments, summary)
        }))
      )
      return { data, count: data.length }
    }),
    orders: Effect.fn("UserReads.orders")(function* (userId: UserId) {
      const lists = yield* Effect.forEach(yield* readersOf(userId), (reader) => desks.orders(reader))
      const data = lists
        .flatMap(({ orders }) => orders)
        .toSorted((a, b) => b.order.updatedAtMillis - a.order.updatedAtMillis)
        .map(({ order, symbol }) => operatorOrder(instruments.get(symbol)!, order))
      return { data, count: data.length }
    })
  }
})

/** Returns reads of the user's money on its way in and out. */
export const ofTreasury = Effect.gen(function* () {
  const deposits = yield* Deposits
  const withdrawals = yield* Withdrawals
  const twoPeopleAbove = yield* makeTwoPeopleAbove
  return {
    deposits: Effect.fn("UserReads.deposits")(function* (userId: UserId, page: Page) {
      const rows = yield* deposits.ofUser(userId, page)
      const count = yield* Count.total(page, rows.length, deposits.countOfUser(userId))
      return { data: rows.flatMap(shown), count }
    }),
    withdrawals: Effect.fn("UserReads.withdrawals")(function* (userId: UserId, page: Page) {
      const rows = yield* withdrawals.ofUser(userId, page)
      const count = yield* Count.total(page, rows.length, withdrawals.countOfUser(userId))
      return { data: rows.map((row) => reviewedWithdrawal(row, peopleNeeded(row, twoPeopleAbove()))), count }
    })
  }
})

/** Returns reads of the user's ways to sign in and to send requests; never their secrets. */
export const ofAccess = Effect.gen(function* () {
  const keys = yield* ApiKeys
  const sessions = yield* Sessions
  return {
    sessions: Effect.fn("UserReads.sessions")(function* (userId: UserId) {
      const data = (yield* sessions.ofUser(userId)).map(sessionBody)
      return { data, count: data.length }
    }),
    apiKeys: Effect.fn("UserReads.apiKeys")(function* (userId: UserId) {
      const data = (yield* keys.ofUser(userId)).map(apiKey)
      const held = (yield* keys.ofBuilders(userId)).map((key) => ({
        public_key: key.publicKey,
        label: key.label,
        builder_user_id: key.builderUserId,
        created_at: instant(key.createdAtMillis),
        last_used_at: key.lastUsedAtMillis === null ? null : instant(key.lastUsedAtMillis)
      }))
      return { data, held_by_builders: held, count: data.length }
    })
  }
})

const sessionBody = (session: Session) => ({
  session_id: session.sessionId,
  client_id: session.clientId,
  scope: session.scope,
  assurance: session.aal,
  created_at: instant(session.createdAtMillis),
  refreshed_at: instant(session.refreshedAtMillis),
  expires_at: instant(session.expiresAtMillis)
})
