/** Invitation codes: each code admits one new user, whose journal records the redemption. */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { UserId } from "@venue/domain/UserId"
import { JournalRows } from "@venue/journal/JournalMemory"
import { integer, of, orNull, storable, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"

const invitationCodeTable = Table.make("invitation_code", {
  code: text,
  userId: of("text", UserId),
  /** Position of the code in its user's list, from 0. */
  number: integer,
  createdAtMillis: timestamptz,
  /** The only user who can redeem the code; null while any user can. */
  heldFor: orNull(of("text", UserId)),
  /** Time at which the redeeming user's journal recorded the redemption; null before. */
  redeemedAtMillis: orNull(timestamptz)
})
export type InvitationCode = Table.Row<typeof invitationCodeTable>

const referralTable = Table.selection({
  referrerId: { schema: UserId, expression: "user_id" },
  userId: { schema: UserId, expression: "held_for" }
})
export type Referral = Table.Row<typeof referralTable>

const referrers = invitationCodeTable.pick("userId")

/** The code does not exist, or is reserved for another user. */
export class UnknownInvitationCode extends Schema.TaggedError<UnknownInvitationCode>()("UnknownInvitationCode", {
  code: Schema.String
}) {}

export class OwnInvitationCode extends Schema.TaggedError<OwnInvitationCode>()("OwnInvitationCode", {
  code: Schema.String
}) {}

export class InvitationCodes extends Context.Service<
  InvitationCodes,
  {
    /** Issues these codes to a user; does nothing if the user already has codes. */
    readonly issue: (userId: UserId, codes: ReadonlyArray<string>) => Effect.Effect<void, DatabaseUnavailable>
    readonly ofUser: (userId: UserId) => Effect.Effect<ReadonlyArray<InvitationCode>, DatabaseUnavailable>
    /** Reserves a code for a user and returns the referrer's id. Idempotent. */
    readonly hold: (
      code: string,
      userId: UserId
    ) => Effect.Effect<UserId, UnknownInvitationCode | OwnInvitationCode | DatabaseUnavailable>
    /** Releases a code that is reserved for the user and not redeemed. */
    readonly release: (code: string, userId: UserId) => Effect.Effect<void, DatabaseUnavailable>
    readonly referredBy: (userIds: ReadonlyArray<UserId>) => Effect.Effect<ReadonlyArray<Referral>, DatabaseUnavailable>
    /** Returns at most `limit` ids of users who referred somebody, in ascending order, starting after `after`. */
    readonly referrers: (after: string, limit: number) => Effect.Effect<ReadonlyArray<UserId>, DatabaseUnavailable>
  }
>()("@venue/storage/access/InvitationCodes") {
  static readonly layer: Layer.Layer<InvitationCodes, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    InvitationCodes,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { columns } = invitationCodeTable
      return InvitationCodes.of({
        issue: Effect.fn("InvitationCodes.issue")(function* (userId: UserId, codes: ReadonlyArray<string>) {
          const rows = issued(userId, codes, yield* Clock.currentTimeMillis)
          const { conflict, insert } = invitationCodeTable.batch(rows, "on conflict do nothing")
          yield* sql`${insert(0, rows.length)} ${conflict}`
        }, orUnavailable),
        ofUser: Effect.fn("InvitationCodes.ofUser")(
          (userId: UserId) =>
            invitationCodeTable.all(sql`
              select ${columns} from invitation_code where user_id = ${storable(userId)} order by number`),
          orUnavailable
        ),
        hold: Effect.fn("InvitationCodes.hold")(function* (code: string, userId: UserId) {
          const held = yield* orUnavailable(
            invitationCodeTable.first(sql`
              update invitation_code set held_for = case when user_id = ${userId} then held_for else ${userId} end
              where code = ${storable(code)} and (held_for is null or held_for = ${userId})
              returning ${columns}`)
          )
          if (Option.isNone(held)) return yield* new UnknownInvitationCode({ code })
          return held.value.userId === userId ? yield* new OwnInvitationCode({ code }) : held.value.userId
        }),
        release: Effect.fn("InvitationCodes.release")(
          (code: string, userId: UserId) =>
            Effect.asVoid(sql`
              update invitation_code set held_for = null
              where code = ${storable(code)} and held_for = ${userId} and redeemed_at is null`),
          orUnavailable
        ),
        referredBy: Effect.fn("InvitationCodes.referredBy")(
          (userIds: ReadonlyArray<UserId>) =>
            referralTable.all(
              sql`
                select ${referralTable.columns} from invitation_code
                where user_id in ${sql.in(userIds)} and redeemed_at is not null
                order by user_id, number`.unprepared
            ),
          orUnavailable
        ),
        referrers: Effect.fn("InvitationCodes.referrers")(
          (after: string, limit: number) =>
            Effect.map(
              referrers.all(sql`
                select distinct ${referrers.columns} from invitation_code
                where redeemed_at is not null and user_id > ${after} order by user_id limit ${limit}`),
              (rows) => rows.map(({ userId }) => userId)
            ),
          orUnavailable
        )
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  /** Reads redemptions from the in-memory journal. */
  static readonly layerMemory: Layer.Layer<InvitationCodes> = Layer.effect(
    InvitationCodes,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const { redeemed } = yield* JournalRows
      const codes = table<InvitationCode>()
      const known = (): ReadonlyArray<InvitationCode> =>
        codes.rows().map((row) => {
          const by = redeemed.get(row.code)
          return by === undefined ? row : { ...row, heldFor: by.userId, redeemedAtMillis: by.atMillis }
        })
      const came = () => known().filter(({ redeemedAtMillis }) => redeemedAtMillis !== null)
      return InvitationCodes.of({
        issue: Effect.fnUntraced(function* (userId: UserId, texts: ReadonlyArray<string>) {
          for (const row of issued(userId, texts, yield* Clock.currentTimeMillis)) {
            const isThere = codes
              .rows()
              .some(
                ({ code, number, userId: owner }) => code === row.code || (owner === userId && number === row.number)
              )
            if (!isThere) codes.set(row.code, row)
          }
        }, transaction),
        ofUser: (userId) => Effect.sync(() => known().filter((row) => row.userId === userId)),
        hold: Effect.fnUntraced(function* (code: string, userId: UserId) {
          const row = known().find((other) => other.code === code)
          if (row === undefined || (row.heldFor !== null && row.heldFor !== userId)) {
            return yield* new UnknownInvitationCode({ code })
          }
          if (row.userId === userId) return yield* new OwnInvitationCode({ code })
          codes.set(code, { ...row, heldFor: userId })
          return row.userId
        }, transaction),
        release: (code, userId) =>
          transaction(
            Effect.sync(() => {
              const row = known().find((other) => other.code === code)
              if (row?.heldFor === userId && row.redeemedAtMillis === null) codes.set(code, { ...row, heldFor: null })
            })
          ),
        referredBy: (userIds) =>
          Effect.sync(() =>
            came()
              .filter(({ userId }) => userIds.includes(userId))
              .sort((a, b) => (a.userId < b.userId ? -1 : a.userId > b.userId ? 1 : a.number - b.number))
              .map(({ heldFor, userId }) => ({ referrerId: userId, userId: heldFor! }))
          ),
        referrers: (after, limit) =>
          Effect.sync(() =>
            [...new Set(came().map(({ userId }) => userId))]
              .filter((userId) => userId > after)
              .sort()
              .slice(0, limit)
          )
      })
    })
  ).pipe(Layer.provide([MemoryTables.layer, JournalRows.layer]))
}

const issued = (userId: UserId, codes: ReadonlyArray<string>, createdAtMillis: number): ReadonlyArray<InvitationCode> =>
  codes.map((code, number) => ({ code, userId, number, createdAtMillis, heldFor: null, redeemedAtMillis: null }))
