/** Operators' management of OAuth clients: registering, adding secrets, disabling. */
import { isUuid } from "@venue/domain/Id"
import { Audit } from "@venue/storage/access/Audit"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import {
  type GrantType,
  type OAuthClient,
  type OAuthClientExists,
  OAuthClients
} from "@venue/storage/access/OAuthClients"
import { Sessions } from "@venue/storage/access/Sessions"
import { Transaction } from "@venue/postgres/Transaction"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { Buffer } from "node:buffer"
import type { Operator } from "../access/Operator.ts"
import * as RedirectUri from "./RedirectUri.ts"

export interface Registration extends Pick<OAuthClient, "name" | "type" | "redirectUris" | "logoUri" | "clientUri"> {
  /** A UUID that is not in use, stored in lower case; random if omitted. */
  readonly clientId?: string
  /** Allowed grant types; both if omitted. */
  readonly grantTypes?: ReadonlyArray<GrantType>
  /** Whether `http` redirects to loopback addresses are also allowed; only for public clients. */
  readonly allowLoopback: boolean
}

export class RegistrationRefused extends Schema.TaggedError<RegistrationRefused>()("RegistrationRefused", {
  field: Schema.Literals(["clientId", "name", "redirectUris", "logoUri", "clientUri", "grantTypes"]),
  fault: Schema.String
}) {}

/** The client is unknown or disabled, or is public and therefore has no secrets. */
export class NoSuchClient extends Schema.TaggedError<NoSuchClient>()("NoSuchClient", { clientId: Schema.String }) {}

/** Each secret is returned only when it is created, because only its hash is stored. */
export class ClientRegistration extends Context.Service<
  ClientRegistration,
  {
    /** Registers a client; returns a secret if the client is confidential. */
    readonly register: (
      registration: Registration,
      operator: Operator
    ) => Effect.Effect<
      { readonly client: OAuthClient; readonly secret: Redacted.Redacted | null },
      RegistrationRefused | OAuthClientExists | DatabaseUnavailable
    >
    /** Adds a secret. The previous secret stays valid until `finishRotation`; older secrets become invalid. */
    readonly rotate: (
      clientId: string,
      operator: Operator
    ) => Effect.Effect<Redacted.Redacted, NoSuchClient | DatabaseUnavailable>
    /** Invalidates all secrets but the newest. */
    readonly finishRotation: (
      clientId: string,
      operator: Operator
    ) => Effect.Effect<void, NoSuchClient | DatabaseUnavailable>
    /** Disables a client: it receives no new authorizations or tokens, and its sessions end. */
    readonly disable: (clientId: string, operator: Operator) => Effect.Effect<void, NoSuchClient | DatabaseUnavailable>
    /** The newest 1,000 clients, newest first. */
    readonly list: Effect.Effect<ReadonlyArray<OAuthClient>, DatabaseUnavailable>
  }
>()("@venue/auth/oauth/ClientRegistration") {
  static readonly layer: Layer.Layer<
    ClientRegistration,
    never,
    Audit | OAuthClients | SecureRandom.SecureRandom | Sessions | Transaction
  > = Layer.effect(
    ClientRegistration,
    Effect.gen(function* () {
      const audit = yield* Audit
      const clients = yield* OAuthClients
      const random = yield* SecureRandom.SecureRandom
      const sessions = yield* Sessions
      const transaction = yield* Transaction

      const newSecret = Effect.map(random.randomBytes(secretBytes), (bytes) =>
        Redacted.make(Buffer.from(bytes).toString("base64url"))
      )
      const record = (action: string, clientId: string, { actor, reason }: Operator) =>
        audit.record({ action, actor, subject: clientId, facts: { clientId, reason } })

      const change = (
        action: string,
        clientId: string,
        operator: Operator,
        work: Effect.Effect<boolean, DatabaseUnavailable>
      ) =>
        transaction.run(
          Effect.gen(function* () {
            if (!(yield* work)) return yield* new NoSuchClient({ clientId })
            yield* record(action, clientId, operator)
          })
        )

      return ClientRegistration.of({
        register: Effect.fn("ClientRegistration.register")(function* (registration: Registration, operator: Operator) {
          const refused = objection(registration)
          if (refused !== undefined) return yield* refused
          const { clientUri, grantTypes = everyGrant, logoUri, name, redirectUris, type } = registration
          const clientId = registration.clientId?.toLowerCase() ?? (yield* random.uuidV4())
          const secret = type === "confidential" ? yield* newSecret : null
          const client = yield* clients.register(
            { clientId, name, type, redirectUris, logoUri, clientUri, grantTypes },
            secret
          )
          yield* record("client_registered", clientId, operator)
          return { client, secret }
        }, transaction.run),
        rotate: Effect.fn("ClientRegistration.rotate")(function* (clientId: string, operator: Operator) {
          const secret = yield* newSecret
          yield* change("client_secret_added", clientId, operator, clients.addSecret(clientId, secret))
          return secret
        }),
        finishRotation: Effect.fn("ClientRegistration.finishRotation")((clientId: string, operator: Operator) =>
          change("client_secret_dropped", clientId, operator, clients.dropOlderSecret(clientId))
        ),
        disable: Effect.fn("ClientRegistration.disable")((clientId: string, operator: Operator) =>
          change(
            "client_disabled",
            clientId,
            operator,
            // Waits for code exchanges in progress, so that their sessions are ended too.
            Effect.tap(clients.disable(clientId), (wasEnabled) =>
              wasEnabled ? sessions.endOfClient(clientId) : Effect.void
            )
          )
        ),
        list: clients.list
      })
    })
  )
}

const secretBytes = 32
const maxRedirectUris = 10
const everyGrant: ReadonlyArray<GrantType> = ["authorization_code", "refresh_token"]

/** The consent page shows the name, so invisible and direction-changing characters are refused. */
const isName = (name: string): boolean => /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,100}$/u.test(name) && name.trim() === name

const objection = (registration: Registration): RegistrationRefused | undefined => {
  const {
    allowLoopback,
    clientId,
    clientUri,
    grantTypes = everyGrant,
    logoUri,
    name,
    redirectUris,
    type
  } = registration
  const refuse = (field: RegistrationRefused["field"], fault: string) => new RegistrationRefused({ field, fault })
  if (clientId !== undefined && !isUuid(clientId)) return refuse("clientId", "form")
  if (!isName(name)) return refuse("name", "form")
  if (redirectUris.length < 1 || redirectUris.length > maxRedirectUris) return refuse("redirectUris", "count")
  if (new Set(redirectUris).size < redirectUris.length) return refuse("redirectUris", "repeated")
  if (!grantTypes.includes("authorization_code")) return refuse("grantTypes", "authorization_code")
  const loopback = allowLoopback && type === "public"
  for (const uri of redirectUris) {
    const fault = RedirectUri.faultOf(uri, { loopback })
    if (fault !== undefined) return refuse("redirectUris", fault)
  }
  for (const [field, uri] of [
    ["logoUri", logoUri],
    ["clientUri", clientUri]
  ] as const) {
    const fault = uri === null ? undefined : RedirectUri.faultOf(uri, { loopback: false })
    if (fault !== undefined) return refuse(field, fault)
  }
  return undefined
}
