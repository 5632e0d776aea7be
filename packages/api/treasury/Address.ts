/** `GET /address` and `POST /address/rotate`: a user's deposit addresses on a chain. */
import { Network } from "@venue/domain/Rail"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { SchemaLink } from "../Body.ts"
import { text } from "../Member.ts"
import { SimulatedMark } from "./SimulatedMark.ts"
import { described, Optional } from "../Parameter.ts"
import { BadRequest, Conflict, GatewayTimeout, ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "../rest/Caller.ts"
import { defaultNetwork, NetworkName } from "./Word.ts"
import { operation } from "../Operation.ts"

export const AddressResponseBody = Schema.Struct({
  $schema: SchemaLink,
  address: text("Deposit address of the user, in the format of its network"),
  network: Network.annotate({ description: "Network of the address." }),
  asset: Schema.Literals(["USDC", "USDT"]).annotate({
    description: "Asset to send to the address. Any other asset, or a transfer on another network, might be lost."
  }),
  simulated: SimulatedMark
}).annotate({ identifier: "AddressResponseBody" })

export const RotateAddressRequestBody = Schema.Struct({
  $schema: SchemaLink,
  network: NetworkName.annotate({ description: "Network of the address to replace." })
}).annotate({
  identifier: "RotateAddressRequestBody"
})

export const AddressGroup = HttpApiGroup.make("address")
  .add(
    HttpApiEndpoint.get("address", "/address", {
      query: { network: Optional(NetworkName) },
      success: AddressResponseBody,
      error: [BadRequest, ServiceUnavailable]
    })
      .annotateMerge(
        operation(
          "Get the deposit address",
          "Returns the user's deposit address on a network, and creates it on the first request. Refused with " +
            "400 for an unsupported network, and with 401 or 403 while onboarding is incomplete."
        )
      )
      .annotate(
        OpenApi.Transform,
        described({
          network: {
            type: "string",
            enum: Network.literals,
            default: defaultNetwork,
            description: "Network of the address."
          }
        })
      ),
    HttpApiEndpoint.post("rotate", "/address/rotate", {
      payload: RotateAddressRequestBody,
      success: AddressResponseBody,
      error: [BadRequest, Conflict, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation(
        "Replace the deposit address",
        "Creates a new deposit address on a network and returns it. Deposits to older addresses are still " +
          "credited. Refused with 409 if the user has the maximum number of deposit addresses on the network, and with 400 for " +
          "an unsupported network."
      )
    )
  )
  .middleware(Authenticated)
