/** The applications that may sign users in, as an operator registered them. */
import { Clock, Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { storable } from "@venue/postgres/Bulk"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { millis } from "@venue/postgres/Millis"
import { hashOf } from "@venue/postgres/SecretHash"

export type GrantType = "authorization_code" | "refresh_token"

export interface OAuthClient {
  readonly clientId: string
  readonly name: string
  /** A public one runs where it cannot keep a secret. */
  readonly type: "public" | "confidential"
  /** Compared as texts, never as addresses. */
  readonly redirectUris: ReadonlyArray<string>
  readonly logoUri: string | null
  readonly clientUri: string | null
  readonly grantTypes: ReadonlyArray<GrantType>
  /** The newest first: two while one replaces the other, none of a public client. */
  readonly secretHashes: ReadonlyArray<string>
  readonly createdAtMillis: number
  /** Null while it is enabled. */
  readonly disabledAtMillis: number | null
}

export type NewOAuthClient = Omit<OAuthClient, "secretHashes" | "createdAtMillis" | "disabledAtMillis">

/** One of this id is there, though it may be disabled. */
export class OAuthClientExists extends Schema.TaggedError<OAuthClientExists>()("OAuthClientExists", {
  clientId: Schema.String
}) {}

export class OAuthClients extends Context.Service<
  OAuthClients,
  {
    /** With a secret exactly when it is confidential. */
    readonly register: (
      client: NewOAuthClient,
      secret: Redacted.Redacted | null
    ) => Effect.Effect<OAuthClient, OAuthClientExists | DatabaseUnavailable>
    /** Disabled ones too. */
    readonly find: (clientId: string) => Effect.Effect<Option.Option<OAuthClient>, DatabaseUnavailable>
    /** The secret before this one stays good, older ones do not. False of a client that keeps none or is not there. */
    readonly addSecret: (clientId: string, secret: Redacted.Redacted) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Ends a replacement. True when there was an older secret until now. */
    readonly dropOlderSecret: (clientId: string) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Whether it is enabled; until the end of the transaction it stays so. */
    readonly holdEnabled: (clientId: string) => Effect.Effect<boolean, DatabaseUnavailable>
    /** True when it was enabled until now. */
    readonly disable: (clientId: string) => Effect.Effect<boolean, DatabaseUnavailable>
    /** The newest first, at most a thousand. */
    readonly list: Effect.Effect<ReadonlyArray<OAuthClient>, DatabaseUnavailable>
  }
>()("@venue/storage/access/OAuthClients") {
  static readonly layer: Layer.Layer<OAuthClients, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    OAuthClients,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal(`
        client_id as "clientId", name, type, redirect_uris as "redirectUris", logo_uri as "logoUri",
        client_uri as "clientUri", grant_types as "grantTypes", secret_hash as "secretHash",
        older_secret_hash as "olderSecretHash", ${millis("created_at")} as "createdAtMillis",
        ${millis("disabled_at")} as "disabledAtMillis"`)

      return OAuthClients.of({
        register: Effect.fn("OAuthClients.register")(function* (
          client: NewOAuthClient,
          secret: Redacted.Redacted | null
        ) {
          const at = new Date(yield* Clock.currentTimeMillis)
          const [row] = yield* sql<Row>`
            insert into oauth_client
              (client_id, name, type, redirect_uris, logo_uri, client_uri, grant_types, secret_hash, created_at)
            values (${client.clientId}, ${client.name}, ${client.type}, ${client.redirectUris}, ${client.logoUri},
              ${client.clientUri}, ${client.grantTypes}, ${secret && hashOf(secret)}, ${at})
            on conflict (client_id) do nothing returning ${columns}`
          return row === undefined ? yield* new OAuthClientExists({ clientId: client.clientId }) : clientOf(row)
        }, orUnavailable),
        find: Effect.fn("OAuthClients.find")(function* (clientId: string) {
          const [row] = yield* sql<Row>`select ${columns} from oauth_client where client_id = ${storable(clientId)}`
          return Option.map(Option.fromUndefinedOr(row), clientOf)
        }, orUnavailable),
        addSecret: Effect.fn("OAuthClients.addSecret")(function* (clientId: string, secret: Redacted.Redacted) {
          const changed = yield* sql`
            update oauth_client set older_secret_hash = secret_hash, secret_hash = ${hashOf(secret)}
            where client_id = ${storable(clientId)} and type = 'confidential' and disabled_at is null returning 1`
          return changed.length > 0
        }, orUnavailable),
        dropOlderSecret: Effect.fn("OAuthClients.dropOlderSecret")(function* (clientId: string) {
          const changed = yield* sql`
            update oauth_client set older_secret_hash = null
            where client_id = ${storable(clientId)} and older_secret_hash is not null returning 1`
          return changed.length > 0
        }, orUnavailable),
        holdEnabled: Effect.fn("OAuthClients.holdEnabled")(function* (clientId: string) {
          const held = yield* sql`
            select 1 from oauth_client where client_id = ${storable(clientId)} and disabled_at is null for share`
          return held.length > 0
        }, orUnavailable),
        disable: Effect.fn("OAuthClients.disable")(function* (clientId: string) {
          const at = new Date(yield* Clock.currentTimeMillis)
          const changed = yield* sql`
            update oauth_client set disabled_at = ${at}
            where client_id = ${storable(clientId)} and disabled_at is null returning 1`
          return changed.length > 0
        }, orUnavailable),
        list: Effect.suspend(
          () => sql<Row>`
            select ${columns} from oauth_client order by created_at desc, client_id limit ${maxListed}`
        ).pipe(
          Effect.map((rows) => rows.map(clientOf)),
          orUnavailable,
          Effect.withSpan("OAuthClients.list")
        )
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<OAuthClients> = Layer.effect(
    OAuthClients,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const clients = table<OAuthClient>()

      /** True when the client was there and is changed. */
      const change = (clientId: string, change: (client: OAuthClient) => Partial<OAuthClient> | undefined) =>
        transaction(
          Effect.sync(() => {
            const client = clients.get(clientId)
            const changes = client && change(client)
            if (changes === undefined) return false
            clients.set(clientId, { ...client!, ...changes })
            return true
          })
        )

      return OAuthClients.of({
        register: Effect.fnUntraced(function* (client: NewOAuthClient, secret: Redacted.Redacted | null) {
          const { clientId } = client
          if (clients.get(clientId) !== undefined) return yield* new OAuthClientExists({ clientId })
          const createdAtMillis = yield* Clock.currentTimeMillis
          const secretHashes = secret === null ? [] : [hashOf(secret)]
          const registered: OAuthClient = { ...client, secretHashes, createdAtMillis, disabledAtMillis: null }
          clients.set(clientId, registered)
          return registered
        }, transaction),
        find: (clientId) => Effect.sync(() => Option.fromUndefinedOr(clients.get(clientId))),
        addSecret: (clientId, secret) =>
          change(clientId, ({ disabledAtMillis, secretHashes, type }) =>
            type === "confidential" && disabledAtMillis === null
              ? { secretHashes: [hashOf(secret), ...secretHashes.slice(0, 1)] }
              : undefined
          ),
        dropOlderSecret: (clientId) =>
          change(clientId, ({ secretHashes }) =>
            secretHashes.length > 1 ? { secretHashes: secretHashes.slice(0, 1) } : undefined
          ),
        holdEnabled: (clientId) => Effect.sync(() => clients.get(clientId)?.disabledAtMillis === null),
        disable: (clientId) =>
          Effect.flatMap(Clock.currentTimeMillis, (disabledAtMillis) =>
            change(clientId, (client) => (client.disabledAtMillis === null ? { disabledAtMillis } : undefined))
          ),
        list: Effect.sync(() =>
          clients
            .rows()
            .toSorted((a, b) => b.createdAtMillis - a.createdAtMillis || (a.clientId < b.clientId ? -1 : 1))
            .slice(0, maxListed)
        )
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

const maxListed = 1_000

interface Row extends Omit<OAuthClient, "secretHashes"> {
  readonly secretHash: string | null
  readonly olderSecretHash: string | null
}

const clientOf = ({ olderSecretHash, secretHash, ...rest }: Row): OAuthClient => ({
  ...rest,
  secretHashes: [secretHash, olderSecretHash].filter((hash) => hash !== null)
})
