/** OAuth applications that operators registered. */
import { Clock, Context, Effect, Option, type Redacted, Schema } from "effect"
import { of, orNull, text, textArray, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { hashOf } from "@venue/postgres/SecretHash"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"

const GrantType = Schema.Literals(["authorization_code", "refresh_token"])
export type GrantType = typeof GrantType.Type

const clientTable = Table.make("oauth_client", {
  clientId: text,
  name: text,
  /** A public client has no secret, because it runs where others could read it. */
  type: of("text", Schema.Literals(["public", "confidential"])),
  /** Compared character by character, without normalisation. */
  redirectUris: textArray,
  logoUri: orNull(text),
  clientUri: orNull(text),
  grantTypes: of("text[]", Schema.Array(GrantType)),
  secretHash: orNull(text),
  olderSecretHash: orNull(text),
  createdAtMillis: timestamptz,
  /** Null while the client is enabled. */
  disabledAtMillis: orNull(timestamptz)
})
type Row = Table.Row<typeof clientTable>

export interface OAuthClient extends Omit<Row, "secretHash" | "olderSecretHash"> {
  /** Newest first. There are two hashes while a new secret replaces an old one, and none for a public client. */
  readonly secretHashes: ReadonlyArray<string>
}

export type NewOAuthClient = Omit<OAuthClient, "secretHashes" | "createdAtMillis" | "disabledAtMillis">

/** An enabled or disabled client with this id already exists. */
export class OAuthClientExists extends Schema.TaggedError<OAuthClientExists>()("OAuthClientExists", {
  clientId: Schema.String
}) {}

export class OAuthClients extends Context.Service<
  OAuthClients,
  {
    /** Registers a client; `secret` is null if and only if the client is public. */
    readonly register: (
      client: NewOAuthClient,
      secret: Redacted.Redacted | null
    ) => Effect.Effect<OAuthClient, OAuthClientExists | DatabaseUnavailable>
    /** Returns an enabled or disabled client. */
    readonly find: (clientId: string) => Effect.Effect<Option.Option<OAuthClient>, DatabaseUnavailable>
    /**
     * Adds a secret. The previous secret stays valid, and older secrets become invalid. Returns false if the client
     * is unknown, public or disabled.
     */
    readonly addSecret: (clientId: string, secret: Redacted.Redacted) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Invalidates the previous secret; returns false for an unknown client. */
    readonly dropOlderSecret: (clientId: string) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Returns whether a client is enabled, and locks its row until the end of the transaction. */
    readonly holdEnabled: (clientId: string) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Disables a client; returns false if the client is unknown or already disabled. */
    readonly disable: (clientId: string) => Effect.Effect<boolean, DatabaseUnavailable>
    /** The newest 1,000 clients, newest first. */
    readonly list: Effect.Effect<ReadonlyArray<OAuthClient>, DatabaseUnavailable>
  }
>()("@venue/storage/access/OAuthClients") {
  static readonly layer = Store.layer(OAuthClients, () => make)
  static readonly layerMemory = Store.layerMemory(OAuthClients, () => make)
}

const make = Effect.gen(function* () {
  const clients = yield* Store.make(clientTable, {
    key: ["clientId"],
    order: { createdAtMillis: "desc", clientId: "asc" }
  })
  return OAuthClients.of({
    register: Effect.fn("OAuthClients.register")(function* (client: NewOAuthClient, secret: Redacted.Redacted | null) {
      const createdAtMillis = yield* Clock.currentTimeMillis
      const secretHash = secret && hashOf(secret)
      const row = { ...client, secretHash, olderSecretHash: null, createdAtMillis, disabledAtMillis: null }
      if (!(yield* clients.insert(row))) return yield* new OAuthClientExists({ clientId: client.clientId })
      return clientOf(row)
    }),
    find: Effect.fn("OAuthClients.find")(function* (clientId: string) {
      return Option.map(yield* clients.find({ clientId }), clientOf)
    }),
    addSecret: Effect.fn("OAuthClients.addSecret")(function* (clientId: string, secret: Redacted.Redacted) {
      const changed = yield* clients.modify({ clientId }, (client) =>
        client?.type === "confidential" && client.disabledAtMillis === null
          ? { ...client, secretHash: hashOf(secret), olderSecretHash: client.secretHash }
          : undefined
      )
      return Option.isSome(changed)
    }),
    dropOlderSecret: Effect.fn("OAuthClients.dropOlderSecret")(function* (clientId: string) {
      const changed = yield* clients.modify({ clientId }, (client) =>
        client === undefined || client.olderSecretHash === null ? undefined : { ...client, olderSecretHash: null }
      )
      return Option.isSome(changed)
    }),
    holdEnabled: Effect.fn("OAuthClients.holdEnabled")(function* (clientId: string) {
      return Option.isSome(yield* clients.find({ clientId, disabledAtMillis: null }, "share"))
    }),
    disable: Effect.fn("OAuthClients.disable")(function* (clientId: string) {
      const disabledAtMillis = yield* Clock.currentTimeMillis
      return Option.isSome(yield* clients.update({ clientId, disabledAtMillis: null }, { disabledAtMillis }))
    }),
    list: Effect.map(clients.list({}, maxListed), (rows) => rows.map(clientOf)).pipe(
      Effect.withSpan("OAuthClients.list")
    )
  })
})

const maxListed = 1_000

const clientOf = ({ olderSecretHash, secretHash, ...rest }: Row): OAuthClient => ({
  ...rest,
  secretHashes: [secretHash, olderSecretHash].filter((hash) => hash !== null)
})
