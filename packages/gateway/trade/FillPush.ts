/**
 * Sends positions and balances after fills. The first update follows the batch that contains the fill; further
 * updates of the account are at least `everyMillis` apart. The regular update every second is independent of these
 * updates.
 */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import * as Beat from "@venue/cluster/feed/Beat"
import { noCost } from "@venue/cluster/protocol/Desk"
import type { AccountId } from "@venue/domain/AccountId"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { UserId } from "@venue/domain/UserId"
import { Clock, Effect, identity } from "effect"
import type { Connection } from "./Connection.ts"

export interface FillPush {
  /** Called for a fill on the account if the connection subscribes to positions or balances. */
  readonly filled: (connection: Connection, symbol: MarketSymbol) => void
  /** Called after all fills of a batch are sent. */
  readonly flush: () => void
}

/** Minimum time between two updates of an account. */
export const everyMillis = 200

interface Account {
  readonly accountId: AccountId
  readonly userId: UserId
  /** Connections that are due an update, with the symbols whose positions changed. */
  due: Map<Connection, Set<MarketSymbol>>
  sentMillis: number
  isReading: boolean
}

export const make = Effect.gen(function* () {
  const desks = yield* DeskClient
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  /** Accounts with a fill in the last two timer intervals. */
  const accounts = new Map<AccountId, Account>()
  let filled: Array<Account> = []

  const push = (account: Account) => {
    const { accountId, due, userId } = account
    account.due = new Map()
    account.sentMillis = clock.currentTimeMillisUnsafe()
    account.isReading = true
    run(
      desks.summary({ userId, accountId, cost: noCost }).pipe(
        Effect.map((summary) => {
          for (const [connection, symbols] of due) connection.sendSummary(summary, symbols)
        }),
        // If the read fails, the regular update within a second sends the values.
        Effect.ignore,
        Effect.ensuring(
          Effect.sync(() => {
            account.isReading = false
          })
        )
      )
    )
  }
  const beat = yield* Beat.make(
    everyMillis,
    Effect.sync(() => {
      const now = clock.currentTimeMillisUnsafe()
      for (const account of accounts.values()) {
        if (account.isReading || now - account.sentMillis < everyMillis) continue
        if (account.due.size > 0) push(account)
        else accounts.delete(account.accountId)
      }
      return accounts.size > 0
    })
  )
  return identity<FillPush>({
    filled: (connection, symbol) => {
      const { accountId, caller } = connection.member!
      let account = accounts.get(accountId)
      if (account === undefined) {
        account = { accountId, userId: caller.userId, due: new Map(), sentMillis: -Infinity, isReading: false }
        accounts.set(accountId, account)
        beat.start()
      }
      if (account.due.size === 0) filled.push(account)
      const symbols = account.due.get(connection)
      if (symbols === undefined) account.due.set(connection, new Set([symbol]))
      else symbols.add(symbol)
    },
    flush: () => {
      if (filled.length === 0) return
      const now = clock.currentTimeMillisUnsafe()
      for (const account of filled) if (!account.isReading && now - account.sentMillis >= everyMillis) push(account)
      filled = []
    }
  })
})
