/** `/bank-account`: bank accounts for withdrawals. No response repeats their details. */
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
import { operation } from "../Operation.ts"

const detail = (description: string) => secret(Schema.String.annotate({ description }))

export const LinkBankAccountRequestBody = Schema.Struct({
  $schema: SchemaLink,
  first_name: detail("First name of the account holder. The holder must be the user."),
  last_name: detail("Last name of the account holder. The holder must be the user."),
  routing_number: detail(
    "ABA routing number: nine digits. The first two digits are 00 to 12, 21 to 32, 61 to 72 or 80; the last digit is the checksum."
  ),
  bank_name: detail("Name of the bank that holds the account."),
  account_number: detail("Account number: 4 to 17 digits, at least one of them not zero."),
  type: detail("Account type: `checking` or `savings`."),
  street_line_1: detail("Street and number of the holder's address."),
  street_line_2: Schema.optionalKey(
    secret(Schema.String.annotate({ description: "Second line of the holder's address.", examples: ["Apartment 4"] }))
  ),
  country: detail("Country of the holder's address: ISO 3166-1 code of three capital letters, such as `USA`."),
  state: Schema.optionalKey(
    detail(
      "State of the holder's address. Required for the country `USA`: the two-letter code or the name of a US state or territory."
    )
  ),
  city: detail("City of the holder's address."),
  postal_code: detail("Postal code of the holder's address.")
}).annotate({ identifier: "LinkBankAccountRequestBody" })

export const LinkBankAccountResponseBody = Schema.Struct({
  $schema: SchemaLink,
  id: uuid("Id of the linked account, for `account_id` of `POST /fiat-withdraw`")
}).annotate({ identifier: "LinkBankAccountResponseBody" })

export const BankAccountGroup = HttpApiGroup.make("bankAccount")
  .add(
    HttpApiEndpoint.post("link", "/bank-account", {
      query: { currency: Optional(RequiredCurrency) },
      payload: LinkBankAccountRequestBody,
      success: LinkBankAccountResponseBody.pipe(HttpApiSchema.status(201)),
      error: [BadRequest, Conflict, ServiceUnavailable, GatewayTimeout]
    })
      .annotateMerge(
        operation(
          "Link a bank account",
          "Links a bank account, to which the user can then withdraw money. Refused with 400 for invalid details, " +
            "with 409 if the user has the maximum number of linked accounts, and with 503 if no bank is connected."
        )
      )
      .annotate(OpenApi.Transform, described({ currency: currencyParameter })),
    HttpApiEndpoint.delete("unlink", "/bank-account/:id", {
      params: {
        id: Schema.String.annotate({
          description: "Id of the linked account.",
          examples: ["0b9f0f5e-58f4-4e0b-9a53-7c1f6b6a1d20"]
        })
      },
      success: HttpApiSchema.NoContent,
      error: [NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation(
        "Unlink a bank account",
        "Removes a linked account. Refused with 404 for an unknown account, and with 409 while a withdrawal to " +
          "it is in flight."
      )
    )
  )
  .middleware(Authenticated)

/** Returns the bank details of a request. */
export const bankDetails = (sent: typeof LinkBankAccountRequestBody.Type): BankDetails => Struct.omit(sent, ["$schema"])

/** Returns the refusal of a withdrawal to a linked account with invalid details, without repeating the details. */
export const linkedDetailsRefused = (problems: Problems, faults: ReadonlyArray<DetailFault>): BadRequest =>
  problems.invalidValue(
    "invalid-bank-details",
    faults.map(({ expected, member }) => ({
      location: "body.account_id",
      message: `The ${member} of the linked bank account is not valid: expected ${expected}. Unlink the account and link it again`
    }))
  )

/** Returns the refusal of bank details, with the expected form of each faulty member. */
export const detailsRefused = (problems: Problems, faults: ReadonlyArray<DetailFault>): BadRequest =>
  problems.invalidValue(
    "invalid-bank-details",
    faults.map(({ expected, member }) => ({ location: `body.${member}`, message: `Expected ${expected}` }))
  )
