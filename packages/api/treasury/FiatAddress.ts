/** `GET /fiat-address`: the message that identifies a user's bank transfers. */
import * as Text from "@venue/domain/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { SchemaLink } from "../Body.ts"
import { described, Optional } from "../Parameter.ts"
import { SimulatedMark } from "./SimulatedMark.ts"
import { BadRequest, ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "../rest/Caller.ts"
import { currencyParameter, depositRailParameter, RequiredCurrency, RequiredDepositRail } from "./Word.ts"
import { operation } from "../Operation.ts"

export const FiatAddressResponseBody = Schema.Struct({
  $schema: SchemaLink,
  deposit_message: Schema.String.annotate({
    description: "Reference to enter in each bank transfer, exactly as given: twelve characters from 0-9 and A-Z."
  }).check(Text.matches("^[0-9A-Z]{12}$", "twelve characters from 0-9 and A-Z")),
  simulated: SimulatedMark
}).annotate({ identifier: "FiatAddressResponseBody" })

export const FiatAddressGroup = HttpApiGroup.make("fiatAddress")
  .add(
    HttpApiEndpoint.get("fiatAddress", "/fiat-address", {
      // Both parameters are required, but a missing parameter gets status 400, like an invalid one.
      query: { currency: Optional(RequiredCurrency), payment_rail: Optional(RequiredDepositRail) },
      success: FiatAddressResponseBody,
      error: [BadRequest, ServiceUnavailable]
    })
      .annotateMerge(
        operation(
          "Get the reference for bank transfers",
          "Returns the reference that identifies the user's bank transfers. The reference never changes. " +
            "Refused with 400 for an unsupported currency or payment rail."
        )
      )
      .annotate(OpenApi.Transform, described({ currency: currencyParameter, payment_rail: depositRailParameter }))
  )
  .middleware(Authenticated)
