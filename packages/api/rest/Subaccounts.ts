/** `GET /user/subaccounts`: the accounts of a user beside the main one. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Rows, SchemaLink, Uuid } from "../Body.ts"
import { ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"

export const ListSubaccountsResponseBody = Schema.Struct({
  $schema: SchemaLink,
  account_ids: Rows(Uuid)
}).annotate({ identifier: "ListSubaccountsResponseBody" })

export const SubaccountsGroup = HttpApiGroup.make("subaccounts")
  .add(
    HttpApiEndpoint.get("subaccounts", "/user/subaccounts", {
      success: ListSubaccountsResponseBody,
      error: ServiceUnavailable
    })
  )
  .middleware(Authenticated)
