/** Which wallet is which user: one user for each address, made when the address is first seen. */
import { Clock, Context, Effect, Layer } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { storable } from "@venue/postgres/Bulk"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { millis } from "@venue/postgres/Millis"
import { Users } from "./Users.ts"

export interface Identity {
  readonly identityId: string
  /** `web3:ethereum:` and the address. */
  readonly subject: string
  readonly userId: string
  /** In lower case. */
  readonly address: string
  /** The chain id in digits; as the domain and the statement, of the last sign-in, and empty before the first. */
  readonly network: string
  readonly domain: string
  readonly statement: string
  readonly createdAtMillis: number
  readonly updatedAtMillis: number
  readonly lastSignInAtMillis: number | null
}

/** A wallet that has just proven itself. */
export interface Arrival {
  /** In lower case. */
  readonly address: string
  /** What its message said; null when it proved itself without signing in. */
  readonly seen: Pick<Identity, "network" | "domain" | "statement"> | null
  /** Whose it is when nobody else's: a user who is there already, or the id of a new one. Drawn unless said. */
  readonly userId?: string
}

export class Identities extends Context.Service<
  Identities,
  {
    /** The first time, the user and their main account are made. Any number at once of one address make one user. */
    readonly arrive: (
      arrival: Arrival
    ) => Effect.Effect<{ readonly userId: string; readonly isNew: boolean }, DatabaseUnavailable>
    /** The oldest first. */
    readonly ofUser: (userId: string) => Effect.Effect<ReadonlyArray<Identity>, DatabaseUnavailable>
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
        const { address, seen } = arrival
        const { createdAtMillis, domain, identityId, network, statement, subject, userId } = identity
        const at = new Date(createdAtMillis)
        const made = yield* sql`
          insert into identity (subject, identity_id, user_id, address, network, domain, statement,
            created_at, updated_at, last_sign_in_at)
          values (${storable(subject)}, ${identityId}, ${userId}, ${storable(address)}, ${storable(network)},
            ${storable(domain)}, ${storable(statement)}, ${at}, ${at}, ${seen === null ? null : at})
          on conflict do nothing returning 1`
        if (made.length === 0) return undefined
        yield* users.create({ userId, name: address })
        return userId
      })
      const resumed = Effect.fnUntraced(function* ({ address, seen }: Arrival) {
        const at = new Date(yield* Clock.currentTimeMillis)
        const [known] =
          seen === null
            ? yield* sql<Pick<Identity, "userId">>`
                select user_id as "userId" from identity where subject = ${storable(subjectOf(address))}`
            : yield* sql<Pick<Identity, "userId">>`
                update identity set network = ${storable(seen.network)}, domain = ${storable(seen.domain)},
                  statement = ${storable(seen.statement)}, updated_at = ${at}, last_sign_in_at = ${at}
                where subject = ${storable(subjectOf(address))} returning user_id as "userId"`
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
          (userId: string) =>
            sql<Identity>`
              select identity_id as "identityId", subject, user_id as "userId", address, network, domain, statement,
                ${sql.literal(millis("created_at"))} as "createdAtMillis",
                ${sql.literal(millis("updated_at"))} as "updatedAtMillis",
                ${sql.literal(millis("last_sign_in_at"))} as "lastSignInAtMillis"
              from identity where user_id = ${storable(userId)} order by created_at, subject`,
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
      userId: userId ?? (yield* random.uuidV4()),
      address,
      ...(seen ?? { network: "", domain: "", statement: "" }),
      createdAtMillis: at,
      updatedAtMillis: at,
      lastSignInAtMillis: seen === null ? null : at
    }
    return identity
  })
