/** How a builder's backend obtains a key of a wallet's user: a message to sign, and the key for it. */
import type { UserId } from "@venue/domain/UserId"
import * as Text from "@venue/domain/Text"
import { Context, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, HttpApiSchema } from "effect/http-api"
import { BadGateway, BadRequest, Forbidden, TooManyRequests, Unauthorized } from "../Problem.ts"
import { Uuid } from "../Body.ts"
import { secret } from "../Secret.ts"
import { Authenticated, type Caller } from "./Caller.ts"

export const BuilderWalletMessage = Schema.Struct({ message: Schema.String }).annotate({
  identifier: "BuilderWalletMessage"
})

export const BuilderWalletBody = Schema.Struct({
  /** The message as it was given, unchanged. */
  message: secret(Schema.String.check(Text.atLeast(64), Text.atMost(20_480))),
  /** 65 bytes of `personal_sign`. */
  signature: secret(Schema.String.check(Text.matches("^0x[0-9a-fA-F]{130}$", "65 bytes in hexadecimal after 0x")))
}).annotate({ identifier: "BuilderWalletBody" })

export const BuilderWalletKey = Schema.Struct({
  user_id: Uuid,
  account_id: Uuid,
  public_key: Schema.String,
  /** Told this once. */
  secret_key: Schema.String
}).annotate({ identifier: "BuilderWalletKey" })

/** Whose wallets they are: the caller, as a builder. */
export class Builder extends Context.Service<
  Builder,
  {
    readonly userId: UserId
    readonly builderCode: string
    readonly username: string
  }
>()("@venue/api/rest/Builder") {}

/** Asks whether the caller is a builder, before the body is looked at. */
export class ActiveBuilder extends HttpApiMiddleware.Service<ActiveBuilder, { provides: Builder; requires: Caller }>()(
  "@venue/api/rest/ActiveBuilder",
  { error: [Forbidden, TooManyRequests, BadGateway] }
) {}

export const BuilderWalletGroup = HttpApiGroup.make("builderWallet").add(
  HttpApiEndpoint.get("builderMessage", "/builder/web3/message", {
    query: { address: Schema.String, builder_code: Schema.String },
    success: BuilderWalletMessage,
    error: [BadRequest, TooManyRequests]
  }),
  HttpApiEndpoint.post("builderKey", "/builder/web3/api-key", {
    payload: BuilderWalletBody,
    success: BuilderWalletKey.pipe(HttpApiSchema.status(201)),
    error: [BadRequest, Unauthorized, BadGateway]
  })
    .middleware(ActiveBuilder)
    .middleware(Authenticated)
)
