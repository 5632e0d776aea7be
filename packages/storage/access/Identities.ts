/** A wallet is a user: each address has one, who is made when the address is first seen. */
import { Clock, Context, Effect, Layer } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { UserId } from "@venue/domain/UserId"
import { of, orNull, storable, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { Users } from "./Users.ts"

const identityTable = Table.make("identity", {
  identityId: text,
  /** It is `web3:ethereum:` and the address. */
  subject: text,
  userId: of("text", UserId),
  /** It is in lower case. */
  address: text,
  /**
   * It is the chain id in digits; this, the domain and the statement are those of the last sign-in, and empty before
   * it.
   */
  network: text,
  domain: text,
  statement: text,
  createdAtMillis: timestamptz,
  updatedAtMillis: timestamptz,
  lastSignInAtMillis: orNull(timestamptz)
})
export type Identity = Table.Row<typeof identityTable>
const owners = identityTable.pick("userId")

/** A wallet has just proven itself. */
export interface Arrival {
  /** It is in lower case. */
  readonly address: string
  /** Its message said this; it is null when the wallet proved itself without signing in. */
  readonly seen: Pick<Identity, "network" | "domain" | "statement"> | null
  /**
   * It is this user's when it is nobody else's: a user who is there already, or a new one. It is drawn unless it is
   * given.
   */
  readonly userId?: UserId
}

export class Identities extends Context.Service<
  Identities,
  {
    /**
     * The first time, the user and their main account are made. Any number of arrivals of one address at once make
     * one user.
     */
    readonly arrive: (
      arrival: Arrival
    ) => Effect.Effect<{ readonly userId: UserId; readonly isNew: boolean }, DatabaseUnavailable>
    /** The oldest come first. */
    readonly ofUser: (userId: UserId) => Effect.Effect<ReadonlyArray<Identity>, DatabaseUnavailable>
  }
>()("@venue/storage/access/Identities") {
  static readonly layer: Layer.Layer<
    Identities,
    MigrationError | SqlError,
    SqlClient.SqlClient | SecureRandom.SecureRandom | Users
  > = Layer.effect(
    Identities,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      const users = yield* Users

      /** Whoever inserts the identity makes the user; who comes second waits for that, and finds it. */
      const found = Effect.fnUntraced(function* (arrival: Arrival) {
        const identity = yield* newIdentity(random, arrival)
        const made = yield* sql`
          insert into identity ${identityTable.values(identity)} on conflict do nothing returning 1`
        if (made.length === 0) return undefined
        yield* users.create({ userId: identity.userId, name: identity.address })
        return identity.userId
      })
      const resumed = Effect.fnUntraced(function* ({ address, seen }: Arrival) {
        const now = yield* Clock.currentTimeMillis
        const subject = subjectOf(address)
        const [known] = yield* owners.all(
          seen === null
            ? sql`select ${owners.columns} from identity where subject = ${storable(subject)}`
            : sql`
                update identity
                set ${identityTable.set({ ...seen, updatedAtMillis: now, lastSignInAtMillis: now })}
                where subject = ${storable(subject)} returning ${owners.columns}`
        )
        return known?.userId
      })

      return Identities.of({
        arrive: Effect.fn("Identities.arrive")(
          function* (arrival: Arrival) {
            const known = yield* resumed(arrival)
            if (known !== undefined) return { userId: known, isNew: false }
            const made = yield* found(arrival)
            if (made !== undefined) return { userId: made, isNew: true }
            return { userId: (yield* resumed(arrival))!, isNew: false }
          },
          sql.withTransaction,
          orUnavailable
        ),
        ofUser: Effect.fn("Identities.ofUser")(
          (userId: UserId) =>
            identityTable.all(sql`
              select ${identityTable.columns} from identity
              where user_id = ${storable(userId)} order by created_at, subject`),
          orUnavailable
        )
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<Identities, never, SecureRandom.SecureRandom | Users> = Layer.effect(
    Identities,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const random = yield* SecureRandom.SecureRandom
      const users = yield* Users
      const identities = table<Identity>()
      return Identities.of({
        arrive: Effect.fnUntraced(function* (arrival: Arrival) {
          const { address, seen } = arrival
          const fresh = yield* newIdentity(random, arrival)
          const known = identities.get(fresh.subject)
          if (known === undefined) {
            identities.set(fresh.subject, fresh)
            yield* users.create({ userId: fresh.userId, name: address })
            return { userId: fresh.userId, isNew: true }
          }
          const at = fresh.createdAtMillis
          if (seen !== null) {
            identities.set(fresh.subject, { ...known, ...seen, updatedAtMillis: at, lastSignInAtMillis: at })
          }
          return { userId: known.userId, isNew: false }
        }, transaction),
        ofUser: (userId) => Effect.sync(() => identities.rows().filter((identity) => identity.userId === userId))
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

const subjectOf = (address: string) => `web3:ethereum:${address}`

const newIdentity = (random: SecureRandom.SecureRandom["Service"], { address, seen, userId }: Arrival) =>
  Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    const identity: Identity = {
      identityId: yield* random.uuidV4(),
      subject: subjectOf(address),
      userId: userId ?? UserId.make(yield* random.uuidV4()),
      address,
      ...(seen ?? { network: "", domain: "", statement: "" }),
      createdAtMillis: at,
      updatedAtMillis: at,
      lastSignInAtMillis: seen === null ? null : at
    }
    return identity
  })
