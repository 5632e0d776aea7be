/** Messages to a user entity, which changes the user's API keys. */
import { ApiKeySummary, TooManyApiKeys, UnknownApiKey } from "@venue/domain/ApiKey"
import { UserId } from "@venue/domain/UserId"
import { Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Unavailable } from "./Market.ts"

const of = { userId: UserId, publicKey: Schema.String }
const KeyPair = Schema.Struct({
  publicKey: Schema.String,
  secret: Schema.RedactedFromValue(Schema.String)
})

/** The entity id is the user id. The gateway generates a new key's public key, so a retry creates no second key. */
export const User = Entity.make("User", [
  Rpc.make("CreateKey", {
    payload: {
      userId: UserId,
      pair: KeyPair,
      label: Schema.String,
      permissions: Schema.Array(Schema.String),
      scope: Schema.String,
      allowedAddresses: Schema.Array(Schema.String)
    },
    success: ApiKeySummary,
    error: Schema.Union([TooManyApiKeys, Unavailable])
  }),
  Rpc.make("RenameKey", {
    payload: { ...of, label: Schema.String },
    error: Schema.Union([UnknownApiKey, Unavailable])
  }),
  Rpc.make("RevokeKey", { payload: of, error: Schema.Union([UnknownApiKey, Unavailable]) }),
  /** Replaces a key pair by a new one with the same permissions, and revokes the old one. */
  Rpc.make("RotateKey", {
    payload: { ...of, next: KeyPair },
    success: ApiKeySummary,
    error: Schema.Union([UnknownApiKey, Unavailable])
  })
]).annotate(ClusterSchema.ClientTracingEnabled, false)
