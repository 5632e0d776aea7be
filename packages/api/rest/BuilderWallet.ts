/** `/builder/web3`: a builder's backend exchanges a wallet's signed message for an API key of the wallet's user. */
import type { UserId } from "@venue/domain/UserId"
import * as Text from "@venue/domain/Text"
import { Context, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadGateway, BadRequest, Forbidden, TooManyRequests, Unauthorized } from "../Problem.ts"
import { Uuid } from "../Body.ts"
import { secret } from "../Secret.ts"
import { Authenticated, type Caller } from "./Caller.ts"
import { operation } from "../Operation.ts"
import { described } from "../Parameter.ts"

/** Response body of `GET /builder/web3/message`. */
export const BuilderWalletMessage = Schema.Struct({
  message: Schema.String.annotate({ description: "EIP-4361 message for the wallet to sign." })
}).annotate({
  identifier: "BuilderWalletMessage"
})

/** Body of `POST /builder/web3/api-key`. */
export const BuilderWalletBody = Schema.Struct({
  message: secret(
    Schema.String.check(Text.atLeast(64), Text.atMost(20_480)).annotate({
      description: "Message exactly as `GET /builder/web3/message` returned it."
    })
  ),
  signature: secret(
    Schema.String.check(Text.matches("^0x[0-9a-fA-F]{130}$", "0x followed by 65 bytes in hexadecimal")).annotate({
      description: "Wallet's `personal_sign` signature of the message: 0x followed by 65 bytes in hexadecimal."
    })
  )
}).annotate({ identifier: "BuilderWalletBody" })

/** Response body of `POST /builder/web3/api-key`. */
export const BuilderWalletKey = Schema.Struct({
  user_id: Uuid.annotate({ description: "Id of the user who owns the wallet." }),
  account_id: Uuid.annotate({ description: "Id of the user's primary account." }),
  public_key: Schema.String.annotate({ description: "Public key, which identifies the API key." }),
  secret_key: Schema.String.annotate({ description: "Secret of the API key. The secret is returned only once." })
}).annotate({ identifier: "BuilderWalletKey" })

/** The caller as a builder. */
export class Builder extends Context.Service<
  Builder,
  {
    readonly userId: UserId
    readonly builderCode: string
    readonly username: string
  }
>()("@venue/api/rest/Builder") {}

/** Middleware that checks, before the body is read, that the caller is a builder with an active code. */
export class ActiveBuilder extends HttpApiMiddleware.Service<ActiveBuilder, { provides: Builder; requires: Caller }>()(
  "@venue/api/rest/ActiveBuilder",
  { error: [Forbidden, TooManyRequests, BadGateway] }
) {}

export const BuilderWalletGroup = HttpApiGroup.make("builderWallet").add(
  HttpApiEndpoint.get("builderMessage", "/builder/web3/message", {
    query: { address: Schema.String, builder_code: Schema.String },
    success: BuilderWalletMessage,
    error: [BadRequest, TooManyRequests]
  })
    .annotate(
      OpenApi.Transform,
      described({
        address: {
          type: "string",
          description: "Address of the wallet, with its EIP-55 checksum.",
          examples: ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"]
        },
        builder_code: {
          type: "string",
          description: "Active builder code of the builder.",
          examples: ["5b6d0a52-8f21-4f7a-9d0e-3c1b7a9e2f40"]
        }
      })
    )
    .annotateMerge(
      operation(
        "Get a message to sign",
        "Returns an EIP-4361 message that lets the builder's backend obtain an API key for the wallet. Refused " +
          "with 400 if the address or the builder code is invalid. No credentials are needed."
      )
    ),
  HttpApiEndpoint.post("builderKey", "/builder/web3/api-key", {
    payload: BuilderWalletBody,
    success: BuilderWalletKey.pipe(HttpApiSchema.status(201)),
    error: [BadRequest, Unauthorized, BadGateway]
  })
    .annotateMerge(
      operation(
        "Exchange a signed message for an API key",
        "Verifies the signed message and returns an API key of the wallet's user. A new wallet creates a new user. " +
          "Refused with 400 for a malformed message or a message for another builder, with 401 if the signature is " +
          "invalid or the message has expired, and with 403 unless the caller's key has `register_user`."
      )
    )
    .middleware(ActiveBuilder)
    .middleware(Authenticated)
)
