/** Handles `/withdrawal-addresses`. */
import { schemaUri } from "@venue/api/Problem"
import { Caller } from "@venue/api/rest/Caller"
import { TreasuryApi } from "@venue/api/treasury/Api"
import { withdrawalAddress } from "@venue/api/treasury/WithdrawalAddresses"
import * as Word from "@venue/api/treasury/Word"
import { Ids } from "@venue/cluster/clients/Ids"
import { RailProviders } from "@venue/providers/rails/RailProvider"
import { type WithdrawalAddress, WithdrawalAddresses } from "@venue/storage/access/WithdrawalAddresses"
import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import * as AuditedChange from "./AuditedChange.ts"
import * as Destination from "./Destination.ts"

export const layer = group(
  TreasuryApi,
  "withdrawalAddresses",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const addresses = yield* WithdrawalAddresses
    const changed = yield* AuditedChange.make
    const ids = yield* Ids
    const payingAccount = yield* Destination.payingAccount
    const rails = yield* RailProviders
    const refusals = yield* apiProblems
    const entry = (row: WithdrawalAddress) =>
      withdrawalAddress({ ...row, address: Destination.written(row.network, row.address) })

    return handlers
      .handle(
        "list",
        Effect.fnUntraced(
          function* () {
            const own = yield* addresses.ofUser((yield* Caller).userId)
            const $schema = schemaUri(baseUrl, "WithdrawalAddressesResponseBody")
            return { $schema, count: own.length, data: own.map(entry) }
          },
          Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
        )
      )
      .handle(
        "register",
        Effect.fnUntraced(
          function* ({ payload }) {
            const { userId } = yield* Caller
            const read = Word.read(refusals, Word.network, "body.network", payload.network)
            const network = yield* Effect.fromResult(read)
            const rail = rails.get(network)
            if (rail === undefined) return yield* refusals.railNotConnected(network)
            const token = rail.tokenContract
            const paying = yield* payingAccount(network)
            const address = yield* Effect.fromResult(
              Destination.read(refusals, network, payload.address, token, paying)
            )
            const addressId = ids.next().text
            const registration = { addressId, userId, network, address, label: payload.label ?? null, verified: false }
            const added = yield* changed(userId, addresses.add(registration), ({ isNew }) =>
              isNew ? { action: "withdrawal_address_registered", facts: { addressId, network, address } } : undefined
            )
            if (!added.isNew) yield* answeredWith200
            return { $schema: schemaUri(baseUrl, "RegisteredAddress"), ...entry(added.address) }
          },
          Effect.catchTags({
            TooManyWithdrawalAddresses: ({ limit }) => Effect.fail(refusals.tooManyWithdrawalAddresses(limit)),
            DatabaseUnavailable: () => Effect.fail(refusals.deadlinePassed())
          })
        )
      )
      .handle(
        "remove",
        Effect.fnUntraced(
          function* ({ params }) {
            const { userId } = yield* Caller
            const addressId = params.id.toLowerCase()
            const removed = yield* changed(userId, addresses.remove(userId, addressId), (isRemoved) =>
              isRemoved ? { action: "withdrawal_address_removed", facts: { addressId } } : undefined
            )
            if (!removed) return yield* refusals.unknownWithdrawalAddress(addressId)
          },
          Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.deadlinePassed()))
        )
      )
  })
)

/** Responds with 200 instead of 201, because the address was already registered. */
const answeredWith200 = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(HttpServerResponse.setStatus(response, 200))
)
