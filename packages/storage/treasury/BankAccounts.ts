/** Linked bank accounts, with details sealed at rest. */
import { BankDetails, masked, maxBankAccounts } from "@venue/domain/BankAccount"
import { UserId } from "@venue/domain/UserId"
import { boolean, bytea, of, orNull, storable, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { Seal } from "@venue/postgres/Seal"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"

const accountTable = Table.make("bank_account", {
  /** UUID. */
  accountId: text,
  userId: of("text", UserId),
  sealedDetails: bytea,
  /** Last digits of the account number, as shown to users. */
  masked: text,
  /** Whether the user's name was known on linking. Payouts to an unknown holder are held for review. */
  holderKnown: boolean,
  createdAtMillis: timestamptz,
  removedAtMillis: orNull(timestamptz)
})
const accounts = accountTable.pick("accountId", "userId", "masked", "holderKnown", "createdAtMillis", "removedAtMillis")
export type BankAccount = Table.Row<typeof accounts>
const sealed = accountTable.pick("sealedDetails")
const counts = Table.selection({ count: { schema: Schema.Number, expression: "count(*)::integer" } })

export interface NewBankAccount extends Pick<BankAccount, "accountId" | "userId" | "holderKnown"> {
  readonly details: Redacted.Redacted<BankDetails>
}

export class TooManyBankAccounts extends Schema.TaggedError<TooManyBankAccounts>()("TooManyBankAccounts", {
  limit: Schema.Number
}) {}

export class BankAccounts extends Context.Service<
  BankAccounts,
  {
    /** Links a bank account to an existing user. */
    readonly link: (account: NewBankAccount) => Effect.Effect<BankAccount, TooManyBankAccounts | DatabaseUnavailable>
    /** Returns one of the user's linked accounts. */
    readonly find: (userId: UserId, accountId: string) => Effect.Effect<Option.Option<BankAccount>, DatabaseUnavailable>
    /** Returns the accounts with these ids, including removed accounts. */
    readonly named: (
      accountIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<BankAccount>, DatabaseUnavailable>
    /** Unlinks an account; returns false if the user has no such linked account. */
    readonly remove: (userId: UserId, accountId: string) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Returns a linked account's details as JSON in the bank API's form, or `Option.none` if it was removed. */
    readonly details: (accountId: string) => Effect.Effect<Option.Option<Redacted.Redacted>, DatabaseUnavailable>
  }
>()("@venue/storage/treasury/BankAccounts") {
  static readonly layer: Layer.Layer<BankAccounts, MigrationError | SqlError, SqlClient.SqlClient | Seal> =
    Layer.effect(
      BankAccounts,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { open, seal } = yield* Seal
        return BankAccounts.of({
          link: Effect.fn("BankAccounts.link")(
            function* ({ accountId, details, holderKnown, userId }: NewBankAccount) {
              // Locks the user's row, because concurrent requests could together exceed the limit.
              yield* sql`select 1 from venue_user where user_id = ${storable(userId)} for no key update`
              const [linked] = yield* counts.all(sql`
                select ${counts.columns} from bank_account
                where user_id = ${storable(userId)} and removed_at is null`)
              if (linked!.count >= maxBankAccounts) return yield* new TooManyBankAccounts({ limit: maxBankAccounts })
              const createdAtMillis = yield* Clock.currentTimeMillis
              const row = { accountId, userId, masked: masked(Redacted.value(details)), holderKnown, createdAtMillis }
              const sealedDetails = seal(textOf(details), sealName(accountId))
              yield* sql`insert into bank_account ${accountTable.values({ ...row, sealedDetails })}`
              return { ...row, removedAtMillis: null }
            },
            sql.withTransaction,
            orUnavailable
          ),
          find: Effect.fn("BankAccounts.find")(
            (userId: UserId, accountId: string) =>
              accounts.first(sql`
                select ${accounts.columns} from bank_account
                where account_id = ${storable(accountId)} and user_id = ${storable(userId)} and removed_at is null`),
            orUnavailable
          ),
          named: Effect.fn("BankAccounts.named")(
            (accountIds: ReadonlyArray<string>) =>
              accountIds.length === 0
                ? Effect.succeed([])
                : accounts.all(
                    sql`
                      select ${accounts.columns} from bank_account
                      where account_id in ${sql.in(accountIds.map(storable))}`.unprepared
                  ),
            orUnavailable
          ),
          remove: Effect.fn("BankAccounts.remove")(function* (userId: UserId, accountId: string) {
            const removed = yield* sql`
              update bank_account set removed_at = ${new Date(yield* Clock.currentTimeMillis)}
              where account_id = ${storable(accountId)} and user_id = ${storable(userId)} and removed_at is null
              returning 1`
            return removed.length > 0
          }, orUnavailable),
          details: Effect.fn("BankAccounts.details")(function* (accountId: string) {
            const row = yield* sealed.first(sql`
              select ${sealed.columns} from bank_account
              where account_id = ${storable(accountId)} and removed_at is null`)
            return Option.map(row, ({ sealedDetails }) => open(sealedDetails, sealName(accountId)))
          }, orUnavailable)
        })
      })
    ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<BankAccounts> = Layer.effect(
    BankAccounts,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const kept = table<Kept>()
      const linked = (userId: UserId) =>
        kept.rows().filter(({ account }) => account.userId === userId && account.removedAtMillis === null)
      const find = (userId: UserId, accountId: string) =>
        linked(userId).find(({ account }) => account.accountId === accountId)
      return BankAccounts.of({
        link: Effect.fnUntraced(function* ({ accountId, details, holderKnown, userId }: NewBankAccount) {
          if (linked(userId).length >= maxBankAccounts)
            return yield* new TooManyBankAccounts({ limit: maxBankAccounts })
          const createdAtMillis = yield* Clock.currentTimeMillis
          const shown = masked(Redacted.value(details))
          const account = { accountId, userId, masked: shown, holderKnown, createdAtMillis, removedAtMillis: null }
          kept.set(accountId, { account, details: textOf(details) })
          return account
        }, transaction),
        find: (userId, accountId) =>
          Effect.sync(() => Option.map(Option.fromUndefinedOr(find(userId, accountId)), ({ account }) => account)),
        named: (accountIds) => Effect.sync(() => accountIds.flatMap((accountId) => kept.get(accountId)?.account ?? [])),
        remove: Effect.fnUntraced(function* (userId: UserId, accountId: string) {
          const row = find(userId, accountId)
          const removedAtMillis = yield* Clock.currentTimeMillis
          if (row !== undefined) kept.set(accountId, { ...row, account: { ...row.account, removedAtMillis } })
          return row !== undefined
        }, transaction),
        details: (accountId) =>
          Effect.sync(() => {
            const row = kept.get(accountId)
            return row?.account.removedAtMillis === null ? Option.some(row.details) : Option.none()
          })
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

interface Kept {
  readonly account: BankAccount
  readonly details: Redacted.Redacted
}

const encode = Schema.encodeSync(Schema.fromJsonString(BankDetails))

const textOf = (details: Redacted.Redacted<BankDetails>): Redacted.Redacted =>
  Redacted.make(encode(Redacted.value(details)))

/** Returns the name under which account details are sealed; the prefix separates it from other kinds of secrets. */
/** Returns the name for which a secret is sealed. */
export const sealName = (accountId: string): string => `bank account:${accountId}`
