/** What may be asked of a user's own entity: changes of what belongs to the user rather than to an account. */
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

/** Its address is the user's id. The public name of a new key is drawn at the edge, so that a repeat makes no other. */
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
  /** The new pair permits what the old one did, which is good for nothing from now on. */
  Rpc.make("RotateKey", {
    payload: { ...of, next: KeyPair },
    success: ApiKeySummary,
    error: Schema.Union([UnknownApiKey, Unavailable])
  })
]).annotate(ClusterSchema.ClientTracingEnabled, false)
