/** Client authentication at the token endpoint: HTTP Basic with a secret, or only the client id for public clients. */
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { type OAuthClient, OAuthClients } from "@venue/storage/access/OAuthClients"
import { hashOf } from "@venue/postgres/SecretHash"
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Buffer } from "node:buffer"
import { timingSafeEqual } from "node:crypto"

export interface Presented {
  /** Value of the `Authorization` header. */
  readonly basic: string | undefined
  readonly form: { readonly client_id?: string | undefined; readonly client_secret?: string | undefined }
}

/** The client is not authenticated. `reason` is for logs; callers receive the same response for every reason. */
export class InvalidClient extends Schema.TaggedError<InvalidClient>()("InvalidClient", {
  reason: Schema.Literals(["malformed", "secret_in_body", "unknown", "disabled", "method", "secret"])
}) {}

/** The header and the body name different clients, so the request is malformed. */
export class ClientMismatch extends Schema.TaggedError<ClientMismatch>()("ClientMismatch", {}) {}

export class ClientAuthentication extends Context.Service<
  ClientAuthentication,
  {
    /** Authenticates a client. Always hashes and compares a secret, so that the response time reveals nothing. */
    readonly authenticate: (
      presented: Presented
    ) => Effect.Effect<OAuthClient, InvalidClient | ClientMismatch | DatabaseUnavailable>
  }
>()("@venue/auth/oauth/ClientAuthentication") {
  static readonly layer: Layer.Layer<ClientAuthentication, never, OAuthClients> = Layer.effect(
    ClientAuthentication,
    Effect.gen(function* () {
      const clients = yield* OAuthClients

      const authenticate = Effect.fn("ClientAuthentication.authenticate")(function* ({ basic, form }: Presented) {
        const credentials = basic === undefined ? undefined : read(basic)
        const clientId = basic === undefined ? form.client_id : credentials?.clientId
        if (clientId === undefined) return yield* new InvalidClient({ reason: "malformed" })
        if (form.client_id !== undefined && form.client_id !== clientId) return yield* new ClientMismatch()
        if (form.client_secret !== undefined) return yield* new InvalidClient({ reason: "secret_in_body" })

        const found = clientId.length > maxLength ? Option.none<OAuthClient>() : yield* clients.find(clientId)
        const hashes = Option.match(found, { onNone: () => [], onSome: (client) => client.secretHashes })
        const isSecret = isOneOf(hashes, credentials?.secret ?? Redacted.make(""))
        if (Option.isNone(found)) return yield* new InvalidClient({ reason: "unknown" })
        const client = found.value
        if ((client.type === "confidential") !== (credentials !== undefined)) {
          return yield* new InvalidClient({ reason: "method" })
        }
        if (client.type === "confidential" && !isSecret) return yield* new InvalidClient({ reason: "secret" })
        if (client.disabledAtMillis !== null) return yield* new InvalidClient({ reason: "disabled" })
        return client
      })

      return ClientAuthentication.of({ authenticate })
    })
  )
}

const maxLength = 128

/** Always compares two hashes; missing ones are zeros, which no secret produces. */
const isOneOf = (hashes: ReadonlyArray<string>, secret: Redacted.Redacted): boolean => {
  const given = Buffer.from(hashOf(secret), "hex")
  const [newer, older] = [0, 1].map((at) => timingSafeEqual(given, Buffer.from(hashes[at] ?? noHash, "hex")))
  return newer! || older!
}

const noHash = "0".repeat(64)

/**
 * Libraries percent-encode the id and the secret (RFC 6749 section 2.3.1), and some encode every character; simple
 * tools send both unencoded. Ids and secrets therefore consist of characters that decode to themselves; other
 * characters are refused.
 */
const read = (basic: string): { readonly clientId: string; readonly secret: Redacted.Redacted } | undefined => {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(basic) ?? []
  const [, clientId, secret] = halves.exec(Buffer.from(encoded ?? "", "base64").toString("latin1")) ?? []
  if (clientId === undefined || secret === undefined) return undefined
  return { clientId: unescaped(clientId), secret: Redacted.make(unescaped(secret)) }
}

const halves = /^((?:[\w-]|%[0-9a-f]{2})+):((?:[\w-]|%[0-9a-f]{2})+)$/i

const unescaped = (text: string): string =>
  text.replaceAll(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
