/** Users' onboarding states, which decide what each user is allowed to do. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { UserId } from "@venue/domain/UserId"
import { bigint, boolean, of, orNull, storable, text } from "@venue/postgres/Column"
import * as Count from "@venue/postgres/Count"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Factors } from "./Factors.ts"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { type Page, pageOf } from "@venue/postgres/Page"
import * as Table from "@venue/postgres/Table"
import { Revocations } from "./Revocations.ts"
import { Transaction } from "@venue/postgres/Transaction"
import { UnknownUser, Users } from "./Users.ts"

const stateTable = Table.make("user_state", {
  userId: of("text", UserId),
  identity: of("text", Schema.Literals(["none", "pending", "verified", "refused"])),
  /** Provider's reference for the latest verification. */
  identityReference: orNull(text),
  identityChangedAtMillis: bigint,
  /** Country of the identity document, ISO 3166-1 alpha-2. */
  country: orNull(text),
  /** Country from which the user last connected. */
  seenIn: orNull(text),
  /** Version of the terms that the user last accepted. */
  termsVersion: orNull(text),
  frozen: boolean
})
type Row = Table.Row<typeof stateTable>
type Progress = Omit<Row, "userId">
const owners = stateTable.pick("userId")

/** `state` is null for a user who has not begun onboarding. */
const userStates = Table.selection({
  state: { schema: Schema.NullOr(stateTable.schema), expression: "to_json(state)" },
  hasSecondFactor: {
    schema: Schema.Boolean,
    expression: `exists (
      select 1 from factor where factor.user_id = venue_user.user_id and factor.verified_at is not null
    )`
  }
})

export interface UserState extends Omit<Progress, "identityReference" | "identityChangedAtMillis"> {
  readonly exists: boolean
  readonly hasSecondFactor: boolean
}

/** Identity provider's result for the verification with this reference. */
export interface Verdict {
  readonly reference: string
  readonly identity: "pending" | "verified" | "refused"
  readonly country: string | null
  readonly changedAtMillis: number
}

export class UnknownVerification extends Schema.TaggedError<UnknownVerification>()("UnknownVerification", {
  reference: Schema.String
}) {}

export class AlreadyVerified extends Schema.TaggedError<AlreadyVerified>()("AlreadyVerified", {
  userId: UserId
}) {}

type Change = Effect.Effect<void, UnknownUser | DatabaseUnavailable>

/** Announces every change, so that nodes drop their cached states. */
export class UserStates extends Context.Service<
  UserStates,
  {
    readonly find: (userId: UserId) => Effect.Effect<UserState, DatabaseUnavailable>
    /** Sets the identity status on an operator's behalf; `judge` sets it from a verdict. */
    readonly setIdentity: (userId: UserId, identity: UserState["identity"], country?: string | null) => Change
    /** Sets the identity status to pending; an earlier verification no longer counts. */
    readonly beginVerification: (
      userId: UserId,
      reference: string
    ) => Effect.Effect<void, AlreadyVerified | UnknownUser | DatabaseUnavailable>
    /** Applies a verdict and returns its user, or `Option.none` if a verdict at least as new was applied before. */
    readonly judge: (
      verdict: Verdict
    ) => Effect.Effect<Option.Option<UserId>, UnknownVerification | DatabaseUnavailable>
    readonly acceptTerms: (userId: UserId, termsVersion: string) => Change
    /** Sets the country from which the user last connected, not the country of the document. */
    readonly setRegion: (userId: UserId, country: string) => Change
    readonly freeze: (userId: UserId) => Change
    readonly unfreeze: (userId: UserId) => Change
    /** Returns the frozen users, ordered by id. */
    readonly frozen: (page: Page) => Effect.Effect<ReadonlyArray<UserId>, DatabaseUnavailable>
    readonly countFrozen: Effect.Effect<number, DatabaseUnavailable>
  }
>()("@venue/storage/access/UserStates") {
  static readonly layer: Layer.Layer<
    UserStates,
    MigrationError | SqlError,
    SqlClient.SqlClient | Users | Revocations | Transaction
  > = Layer.effect(
    UserStates,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return yield* make({
        find: Effect.fnUntraced(function* (userId) {
          const [user] = yield* userStates.all(sql`
            select ${userStates.columns} from venue_user
            left join lateral (
              select ${stateTable.columns} from user_state where user_state.user_id = venue_user.user_id
            ) state on true
            where venue_user.user_id = ${storable(userId)}`)
          if (user === undefined) return { ...nothing, exists: false, hasSecondFactor: false }
          return { ...nothing, ...user.state, exists: true, hasSecondFactor: user.hasSecondFactor }
        }, orUnavailable),
        referredTo: Effect.fnUntraced(function* (reference) {
          const owner = yield* owners.first(sql`
            select ${owners.columns} from user_state where identity_reference = ${storable(reference)}`)
          return Option.map(owner, ({ userId }) => userId)
        }, orUnavailable),
        frozen: Effect.fnUntraced(function* (page) {
          const { limit, offset } = pageOf(page)
          const rows = yield* owners.all(sql`
            select ${owners.columns} from user_state where frozen order by user_id limit ${limit} offset ${offset}`)
          return rows.map(({ userId }) => userId)
        }, orUnavailable),
        countFrozen: orUnavailable(Count.ofRows(sql, sql`from user_state where frozen`)),
        put: Effect.fnUntraced(function* (userId, change) {
          yield* sql`
            insert into user_state ${stateTable.values({ userId, ...change })}
            on conflict (user_id) do update set ${stateTable.set(change)}`
        }, orUnavailable)
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<UserStates, never, Factors | Users | Revocations> = Layer.effect(
    UserStates,
    Effect.gen(function* () {
      const { table } = yield* MemoryTables
      const factors = yield* Factors
      const users = yield* Users
      const rows = table<Progress & { readonly userId: UserId }>()
      const frozenUsers = () =>
        rows
          .rows()
          .filter(({ frozen }) => frozen)
          .map(({ userId }) => userId)
          .toSorted()
      const references = table<UserId>()
      return yield* make({
        find: Effect.fnUntraced(function* (userId) {
          const exists = Option.isSome(yield* users.find(userId))
          const hasSecondFactor = (yield* factors.ofUser(userId)).some(({ status }) => status === "verified")
          return { ...nothing, ...rows.get(userId), exists, hasSecondFactor }
        }),
        referredTo: (reference) =>
          Effect.sync(() =>
            Option.filter(
              Option.fromUndefinedOr(references.get(reference)),
              (userId) => rows.get(userId)?.identityReference === reference
            )
          ),
        frozen: (page) =>
          Effect.sync(() => {
            const { limit, offset } = pageOf(page)
            return frozenUsers().slice(offset, offset + limit)
          }),
        countFrozen: Effect.sync(() => Count.ofMemory(frozenUsers())),
        put: (userId, change) =>
          Effect.sync(() => {
            rows.set(userId, { ...nothing, ...rows.get(userId), ...change, userId })
            if (typeof change.identityReference === "string") references.set(change.identityReference, userId)
          })
      })
    })
  ).pipe(Layer.provide([MemoryTables.layer, Transaction.layerMemory]))
}

const nothing: Progress = {
  identity: "none",
  identityReference: null,
  identityChangedAtMillis: 0,
  country: null,
  seenIn: null,
  termsVersion: null,
  frozen: false
}

/** Storage of states. The rules apply to the Postgres and the in-memory implementation alike. */
interface States {
  readonly find: (
    userId: UserId
  ) => Effect.Effect<Progress & Pick<UserState, "exists" | "hasSecondFactor">, DatabaseUnavailable>
  readonly referredTo: (reference: string) => Effect.Effect<Option.Option<UserId>, DatabaseUnavailable>
  readonly frozen: (page: Page) => Effect.Effect<ReadonlyArray<UserId>, DatabaseUnavailable>
  readonly countFrozen: Effect.Effect<number, DatabaseUnavailable>
  readonly put: (userId: UserId, change: Partial<Progress>) => Effect.Effect<void, DatabaseUnavailable>
}

const make = Effect.fnUntraced(function* (table: States) {
  const users = yield* Users
  const revocations = yield* Revocations
  const transaction = yield* Transaction

  /** Changes to one user's state run one at a time, because each change locks the user's row. */
  const change = (userId: UserId, changes: Partial<Progress>) =>
    users
      .lock(userId)
      .pipe(
        Effect.andThen(table.put(userId, changes)),
        Effect.andThen(revocations.announce({ kind: "user", subject: userId })),
        transaction.run
      )

  return UserStates.of({
    find: Effect.fn("UserStates.find")(function* (userId: UserId) {
      const { country, exists, frozen, hasSecondFactor, identity, seenIn, termsVersion } = yield* table.find(userId)
      return { exists, frozen, identity, termsVersion, country, seenIn, hasSecondFactor }
    }),
    setIdentity: Effect.fn("UserStates.setIdentity")((userId: UserId, identity, country) =>
      change(userId, { identity, ...(country === undefined ? {} : { country }) })
    ),
    beginVerification: Effect.fn("UserStates.beginVerification")(function* (userId: UserId, reference: string) {
      yield* users.lock(userId)
      if ((yield* table.find(userId)).identity === "verified") return yield* new AlreadyVerified({ userId })
      yield* change(userId, { identity: "pending", identityReference: reference, identityChangedAtMillis: 0 })
    }, transaction.run),
    judge: Effect.fn("UserStates.judge")(function* ({ changedAtMillis, country, identity, reference }: Verdict) {
      const owner = yield* table.referredTo(reference)
      if (Option.isNone(owner)) return yield* new UnknownVerification({ reference })
      const userId = owner.value
      yield* bugIfUnknown(users.lock(userId))
      const known = yield* table.find(userId)
      if (known.identityReference !== reference || known.identityChangedAtMillis >= changedAtMillis) {
        return Option.none()
      }
      yield* bugIfUnknown(change(userId, { identity, identityChangedAtMillis: changedAtMillis, country }))
      return owner
    }, transaction.run),
    acceptTerms: Effect.fn("UserStates.acceptTerms")((userId: UserId, termsVersion: string) =>
      change(userId, { termsVersion })
    ),
    setRegion: Effect.fn("UserStates.setRegion")((userId: UserId, seenIn: string) => change(userId, { seenIn })),
    frozen: Effect.fn("UserStates.frozen")(table.frozen),
    countFrozen: table.countFrozen,
    freeze: Effect.fn("UserStates.freeze")((userId: UserId) => change(userId, { frozen: true })),
    unfreeze: Effect.fn("UserStates.unfreeze")((userId: UserId) => change(userId, { frozen: false }))
  })
})

/** Users are never deleted, so the state's user exists. */
const bugIfUnknown = <A, E, R>(effect: Effect.Effect<A, E | UnknownUser, R>) =>
  Effect.catchIf(effect, (error) => error instanceof UnknownUser, Effect.die)
