/**
 * Position and balance of an account, sent together with its fills. The first follows the batch that holds the fills; of an
 * account that goes on to trade they follow at most every `everyMillis`. The pulse of each second goes on beside this.
 */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import * as Beat from "@venue/cluster/feed/Beat"
import { noCost } from "@venue/cluster/protocol/Desk"
import type { AccountId } from "@venue/domain/AccountId"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { UserId } from "@venue/domain/UserId"
import { Clock, Effect } from "effect"
import type { Connection } from "./Connection.ts"

export interface FillPush {
  /** A fill of the account of this connection, which hears positions or balances. */
  readonly filled: (connection: Connection, symbol: MarketSymbol) => void
  /** All fills of a batch were sent. */
  readonly flush: () => void
}

/** Least time between two pushes of an account. */
export const everyMillis = 200

interface Account {
  readonly accountId: AccountId
  readonly userId: UserId
  /** Connections that are due, with the symbols whose positions changed. */
  due: Map<Connection, Set<MarketSymbol>>
  sentMillis: number
  isAsking: boolean
}

export const make = Effect.gen(function* () {
  const desks = yield* DeskClient
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  /** Accounts that were filled within the last two steps. */
  const accounts = new Map<AccountId, Account>()
  let filled: Array<Account> = []

  const push = (account: Account) => {
    const { accountId, due, userId } = account
    account.due = new Map()
    account.sentMillis = clock.currentTimeMillisUnsafe()
    account.isAsking = true
    run(
      desks.summary({ userId, accountId, cost: noCost }).pipe(
        Effect.map((summary) => {
          for (const [connection, symbols] of due) connection.tellSummary(summary, symbols)
        }),
        // The next pulse has what could not be read.
        Effect.ignore,
        Effect.ensuring(
          Effect.sync(() => {
            account.isAsking = false
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
        if (account.isAsking || now - account.sentMillis < everyMillis) continue
        if (account.due.size > 0) push(account)
        else accounts.delete(account.accountId)
      }
      return accounts.size > 0
    })
  )
  return {
    filled: (connection, symbol) => {
      const { accountId, caller } = connection.member!
      let account = accounts.get(accountId)
      if (account === undefined) {
        account = { accountId, userId: caller.userId, due: new Map(), sentMillis: -Infinity, isAsking: false }
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
      for (const account of filled) if (!account.isAsking && now - account.sentMillis >= everyMillis) push(account)
      filled = []
    }
  } satisfies FillPush as FillPush
})
