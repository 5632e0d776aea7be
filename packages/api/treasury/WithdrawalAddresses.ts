/** `/withdrawal-addresses`: registered destinations of withdrawals. */
import { isLabel } from "@venue/domain/Label"
import { Network } from "@venue/domain/Rail"
import * as Text from "@venue/domain/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { RowCount, Rows, SchemaLink } from "../Body.ts"
import { instant as instantText } from "../Digits.ts"
import { instant, text, uuid } from "../Member.ts"
import { BadRequest, Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "../rest/Caller.ts"
import { NetworkName } from "./Word.ts"
import { operation } from "../Operation.ts"

const Label = Schema.String.annotate({
  description:
    "Label of the address: one line of 1 to 64 characters, without control or format characters and without surrounding spaces.",
  examples: ["cold wallet"]
}).check(Text.atLeast(1), Text.atMost(64), isLabel)

const address = {
  id: uuid("Id of the registered address"),
  address: text("Address, in the format of its network"),
  network: Network.annotate({ description: "Network of the address." }),
  label: Schema.NullOr(Schema.String).annotate({
    description: "Label that the user chose for the address; null if not set."
  }),
  created_at: instant("Time of registration")
}

export const WithdrawalAddress = Schema.Struct(address).annotate({
  identifier: "WithdrawalAddress",
  description: "Registered withdrawal address."
})

export const RegisteredAddress = Schema.Struct({ $schema: SchemaLink, ...address }).annotate({
  identifier: "RegisteredAddress"
})

export const WithdrawalAddressesResponseBody = Schema.Struct({
  $schema: SchemaLink,
  count: RowCount,
  data: Rows(WithdrawalAddress).annotate({ description: "Registered addresses." })
}).annotate({ identifier: "WithdrawalAddressesResponseBody" })

export const RegisterAddressRequestBody = Schema.Struct({
  $schema: SchemaLink,
  address: Schema.String.annotate({
    description:
      "Address to register. On ARBITRUM_ONE, an address that mixes upper and lower case must have a valid EIP-55 checksum.",
    examples: ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"]
  }),
  network: NetworkName.annotate({ description: "Network of the address." }),
  label: Schema.optionalKey(Label)
}).annotate({ identifier: "RegisterAddressRequestBody" })

export const WithdrawalAddressesGroup = HttpApiGroup.make("withdrawalAddresses")
  .add(
    HttpApiEndpoint.get("list", "/withdrawal-addresses", {
      success: WithdrawalAddressesResponseBody,
      error: ServiceUnavailable
    }).annotateMerge(
      operation("List withdrawal addresses", "Returns the addresses that the user registered for withdrawals.")
    ),
    HttpApiEndpoint.post("register", "/withdrawal-addresses", {
      payload: RegisterAddressRequestBody,
      // 200 with the existing entry if the address was registered before.
      success: [RegisteredAddress.pipe(HttpApiSchema.status(201)), RegisteredAddress],
      error: [BadRequest, Conflict, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation(
        "Register a withdrawal address",
        "Registers an address for withdrawals. Returns 200 with the existing entry if the address is already " +
          "registered. Refused with 400 for an address that is invalid on the network, and with 409 if the user has " +
          "the maximum number of withdrawal addresses."
      )
    ),
    HttpApiEndpoint.delete("remove", "/withdrawal-addresses/:id", {
      params: {
        id: Schema.String.annotate({
          description: "Id of the registered address.",
          examples: ["7c1f6b6a-1d20-4e0b-9a53-58f40b9f0f5e"]
        })
      },
      success: HttpApiSchema.NoContent,
      error: [NotFound, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation("Remove a withdrawal address", "Removes a registered address. Refused with 404 for an unknown id.")
    )
  )
  .middleware(Authenticated)

interface Registered {
  readonly addressId: string
  readonly address: string
  readonly network: Network
  readonly label: string | null
  readonly createdAtMillis: number
}

export const withdrawalAddress = ({
  address,
  addressId,
  createdAtMillis,
  label,
  network
}: Registered): typeof WithdrawalAddress.Type => ({
  id: addressId,
  address,
  network,
  label,
  created_at: instantText(createdAtMillis)
})
