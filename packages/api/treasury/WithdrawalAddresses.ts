/** `/withdrawal-addresses`: where a user's money may leave to. */
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

const Label = Schema.String.annotate({
  description:
    "Name of the address: one line of text without control or format characters and without space around it.",
  examples: ["cold wallet"]
}).check(Text.atLeast(1), Text.atMost(64), isLabel)

const address = {
  id: uuid("Names the entry"),
  address: text("As it is written on its network"),
  network: Network,
  label: Schema.NullOr(Schema.String.annotate({ description: "The user calls it this." })),
  created_at: instant("It was registered then")
}

export const WithdrawalAddress = Schema.Struct(address).annotate({ identifier: "WithdrawalAddress" })

export const RegisteredAddress = Schema.Struct({ $schema: SchemaLink, ...address }).annotate({
  identifier: "RegisteredAddress"
})

export const WithdrawalAddressesResponseBody = Schema.Struct({
  $schema: SchemaLink,
  count: RowCount,
  data: Rows(WithdrawalAddress)
}).annotate({ identifier: "WithdrawalAddressesResponseBody" })

export const RegisterAddressRequestBody = Schema.Struct({
  $schema: SchemaLink,
  address: Schema.String,
  network: NetworkName,
  label: Schema.optionalKey(Label)
}).annotate({ identifier: "RegisterAddressRequestBody" })

export const WithdrawalAddressesGroup = HttpApiGroup.make("withdrawalAddresses")
  .add(
    HttpApiEndpoint.get("list", "/withdrawal-addresses", {
      success: WithdrawalAddressesResponseBody,
      error: ServiceUnavailable
    }),
    HttpApiEndpoint.post("register", "/withdrawal-addresses", {
      payload: RegisterAddressRequestBody,
      // 200 where it was registered before: the entry is the one that was there.
      success: [RegisteredAddress.pipe(HttpApiSchema.status(201)), RegisteredAddress],
      error: [BadRequest, Conflict, ServiceUnavailable, GatewayTimeout]
    }),
    HttpApiEndpoint.delete("remove", "/withdrawal-addresses/:id", {
      params: { id: Schema.String },
      success: HttpApiSchema.NoContent,
      error: [NotFound, ServiceUnavailable, GatewayTimeout]
    })
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
