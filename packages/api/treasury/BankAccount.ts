/** `/bank-account`: the accounts that a user's money may leave to by a bank. Nothing of their details is ever repeated. */
import type { BankDetails, DetailFault } from "@venue/domain/BankAccount"
import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { SchemaLink } from "../Body.ts"
import { uuid } from "../Member.ts"
import { described, Optional } from "../Parameter.ts"
import { BadRequest, Conflict, GatewayTimeout, NotFound, type Problems, ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "../rest/Caller.ts"
import { secret } from "../Secret.ts"
import { currencyParameter, RequiredCurrency } from "./Word.ts"

const detail = (description: string) => secret(Schema.String.annotate({ description }))

export const LinkBankAccountRequestBody = Schema.Struct({
  $schema: SchemaLink,
  first_name: detail("Of the holder, who is the user."),
  last_name: detail("Of the holder, who is the user."),
  routing_number: detail(
    "Nine digits: the first two are 00 to 12, 21 to 32, 61 to 72 or 80, the last is the ABA checksum."
  ),
  bank_name: detail("The bank that has the account."),
  account_number: detail("4 to 17 digits, not all of them zeros."),
  type: detail("`checking` or `savings`."),
  street_line_1: detail("Street and number."),
  street_line_2: Schema.optionalKey(detail("More of the address.")),
  country: detail("ISO 3166, three capital letters."),
  state: Schema.optionalKey(
    detail("Required where the country is `USA`: the code of two letters or the name of a state or territory.")
  ),
  city: detail("Of the holder's address."),
  postal_code: detail("Of the holder's address.")
}).annotate({ identifier: "LinkBankAccountRequestBody" })

export const LinkBankAccountResponseBody = Schema.Struct({
  $schema: SchemaLink,
  id: uuid("A withdrawal names the account by it")
}).annotate({ identifier: "LinkBankAccountResponseBody" })

export const BankAccountGroup = HttpApiGroup.make("bankAccount")
  .add(
    HttpApiEndpoint.post("link", "/bank-account", {
      query: { currency: Optional(RequiredCurrency) },
      payload: LinkBankAccountRequestBody,
      success: LinkBankAccountResponseBody.pipe(HttpApiSchema.status(201)),
      error: [BadRequest, Conflict, ServiceUnavailable, GatewayTimeout]
    }).annotate(OpenApi.Transform, described({ currency: currencyParameter })),
    HttpApiEndpoint.delete("unlink", "/bank-account/:id", {
      params: { id: Schema.String },
      success: HttpApiSchema.NoContent,
      error: [NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    })
  )
  .middleware(Authenticated)

export const bankDetails = (sent: typeof LinkBankAccountRequestBody.Type): BankDetails => Struct.omit(sent, ["$schema"])

/** Says of each what would be right. */
export const detailsRefused = (problems: Problems, faults: ReadonlyArray<DetailFault>): BadRequest =>
  problems.invalidValue(
    "invalid-bank-details",
    faults.map(({ expected, member }) => ({ location: `body.${member}`, message: `Expected ${expected}` }))
  )
