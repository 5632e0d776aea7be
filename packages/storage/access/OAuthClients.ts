/** These applications may sign users in; an operator registered them. */
import { Clock, Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { of, orNull, storable, text, textArray, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { hashOf } from "@venue/postgres/SecretHash"

const GrantType = Schema.Literals(["authorization_code", "refresh_token"])
export type GrantType = typeof GrantType.Type

const clientTable = Table.make("oauth_client", {
  clientId: text,
  name: text,
  /** A public one runs where it cannot keep a secret. */
  type: of("text", Schema.Literals(["public", "confidential"])),
  /** They are compared as texts, never as addresses. */
  redirectUris: textArray,
  logoUri: orNull(text),
  clientUri: orNull(text),
  grantTypes: of("text[]", Schema.Array(GrantType)),
  secretHash: orNull(text),
  olderSecretHash: orNull(text),
  createdAtMillis: timestamptz,
  /** It is null while the client is enabled. */
  disabledAtMillis: orNull(timestamptz)
})
type Row = Table.Row<typeof clientTable>

export interface OAuthClient extends Omit<Row, "secretHash" | "olderSecretHash"> {
  /** The newest comes first: there are two while one replaces the other, and none when the client is public. */
  readonly secretHashes: ReadonlyArray<string>
}

export type NewOAuthClient = Omit<OAuthClient, "secretHashes" | "createdAtMillis" | "disabledAtMillis">

/** One of this id is there, though it may be disabled. */
export class OAuthClientExists extends Schema.TaggedError<OAuthClientExists>()("OAuthClientExists", {
  clientId: Schema.String
}) {}

export class OAuthClients extends Context.Service<
  OAuthClients,
  {
    /** It has a secret exactly when it is confidential. */
    readonly register: (
      client: NewOAuthClient,
      secret: Redacted.Redacted | null
    ) => Effect.Effect<OAuthClient, OAuthClientExists | DatabaseUnavailable>
    /** Finds disabled ones too. */
    readonly find: (clientId: string) => Effect.Effect<Option.Option<OAuthClient>, DatabaseUnavailable>
    /**
     * The secret before this one stays good, older ones do not. The answer is false when the client keeps none or is
     * not there.
     */
    readonly addSecret: (clientId: string, secret: Redacted.Redacted) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Ends a replacement. The answer is true when there was an older secret until now. */
    readonly dropOlderSecret: (clientId: string) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Tells whether it is enabled; until the end of the transaction it stays so. */
    readonly holdEnabled: (clientId: string) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Answers with true when it was enabled until now. */
    readonly disable: (clientId: string) => Effect.Effect<boolean, DatabaseUnavailable>
    /** The newest come first; there are at most a thousand. */
    readonly list: Effect.Effect<ReadonlyArray<OAuthClient>, DatabaseUnavailable>
  }
>()("@venue/storage/access/OAuthClients") {
  static readonly layer: Layer.Layer<OAuthClients, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    OAuthClients,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return OAuthClients.of({
        register: Effect.fn("OAuthClients.register")(function* (
          client: NewOAuthClient,
          secret: Redacted.Redacted | null
        ) {
          const createdAtMillis = yield* Clock.currentTimeMillis
          const secretHash = secret && hashOf(secret)
          const made = yield* clientTable.first(sql`
            insert into oauth_client ${clientTable.values({ ...client, secretHash, createdAtMillis })}
            on conflict (client_id) do nothing returning ${clientTable.columns}`)
          if (Option.isNone(made)) return yield* new OAuthClientExists({ clientId: client.clientId })
          return clientOf(made.value)
        }, orUnavailable),
        find: Effect.fn("OAuthClients.find")(function* (clientId: string) {
          const found = yield* clientTable.first(sql`
            select ${clientTable.columns} from oauth_client where client_id = ${storable(clientId)}`)
          return Option.map(found, clientOf)
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
        list: Effect.suspend(() =>
          clientTable.all(sql`
              select ${clientTable.columns} from oauth_client
              order by created_at desc, client_id limit ${maxListed}`)
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

      /** Answers with true when the client was there and is changed. */
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

const clientOf = ({ olderSecretHash, secretHash, ...rest }: Row): OAuthClient => ({
  ...rest,
  secretHashes: [secretHash, olderSecretHash].filter((hash) => hash !== null)
})
