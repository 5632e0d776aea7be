/** `GET /address` and `POST /address/rotate`: where a user sends money to on a chain. */
import { Network } from "@venue/domain/Rail"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { SchemaLink } from "../Body.ts"
import { text } from "../Member.ts"
import { described, Optional } from "../Parameter.ts"
import { BadRequest, Conflict, GatewayTimeout, ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "../rest/Caller.ts"
import { defaultNetwork, NetworkName } from "./Word.ts"

export const AddressResponseBody = Schema.Struct({
  $schema: SchemaLink,
  address: text("As it is written on its network"),
  network: Network,
  /** What is sent in another asset, or on another network, may be lost. */
  asset: Schema.Literals(["USDC", "USDT"])
}).annotate({ identifier: "AddressResponseBody" })

export const RotateAddressRequestBody = Schema.Struct({ $schema: SchemaLink, network: NetworkName }).annotate({
  identifier: "RotateAddressRequestBody"
})

export const AddressGroup = HttpApiGroup.make("address")
  .add(
    HttpApiEndpoint.get("address", "/address", {
      query: { network: Optional(NetworkName) },
      success: AddressResponseBody,
      error: [BadRequest, ServiceUnavailable]
    }).annotate(
      OpenApi.Transform,
      described({ network: { type: "string", enum: Network.literals, default: defaultNetwork } })
    ),
    HttpApiEndpoint.post("rotate", "/address/rotate", {
      payload: RotateAddressRequestBody,
      success: AddressResponseBody,
      error: [BadRequest, Conflict, ServiceUnavailable, GatewayTimeout]
    })
  )
  .middleware(Authenticated)
