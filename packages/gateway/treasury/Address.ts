/** Handles `GET /address` and `POST /address/rotate`. */
import { type Problems, schemaUri } from "@venue/api/Problem"
import { Caller } from "@venue/api/rest/Caller"
import { TreasuryApi } from "@venue/api/treasury/Api"
import * as Word from "@venue/api/treasury/Word"
import { assets, type Network } from "@venue/domain/Rail"
import { RailProviders } from "@venue/providers/rails/RailProvider"
import { type DepositAddress, DepositAddresses } from "@venue/storage/treasury/DepositAddresses"
import { Effect } from "effect"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import * as AuditedChange from "./AuditedChange.ts"
import * as SimulatedMark from "./SimulatedMark.ts"

export const layer = group(
  TreasuryApi,
  "address",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const addresses = yield* DepositAddresses
    const changed = yield* AuditedChange.make
    const rails = yield* RailProviders
    const refusals = yield* apiProblems
    const simulated = yield* SimulatedMark.make
    const bodyOf = ({ address, network }: DepositAddress) => ({
      $schema: schemaUri(baseUrl, "AddressResponseBody"),
      address,
      network,
      asset: assets[network],
      ...simulated(network)
    })

    return handlers
      .handle(
        "address",
        Effect.fnUntraced(
          function* ({ query }) {
            const { userId } = yield* Caller
            const name = query.network ?? Word.defaultNetwork
            const network = yield* Effect.fromResult(Word.read(refusals, Word.network, "query.network", name))
            const addressAt = yield* connected(refusals, rails, network)
            return bodyOf(yield* addresses.provide(userId, network, addressAt))
          },
          Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
        )
      )
      .handle(
        "rotate",
        Effect.fnUntraced(
          function* ({ payload }) {
            const { userId } = yield* Caller
            const read = Word.read(refusals, Word.network, "body.network", payload.network)
            const network = yield* Effect.fromResult(read)
            const addressAt = yield* connected(refusals, rails, network)
            const rotated = addresses.rotate(userId, network, addressAt)
            const made = yield* changed(userId, rotated, ({ address, index }) => ({
              action: "deposit_address_rotated",
              facts: { network, index, address }
            }))
            return bodyOf(made)
          },
          Effect.catchTags({
            TooManyDepositAddresses: ({ limit }) => Effect.fail(refusals.tooManyDepositAddresses(limit)),
            DatabaseUnavailable: () => Effect.fail(refusals.deadlinePassed())
          })
        )
      )
  })
)

/** Returns a network's address derivation, or refuses a network whose rail is not connected. */
const connected = (refusals: Problems, rails: RailProviders["Service"], network: Network) => {
  const addressAt = rails.get(network)?.addressAt
  return addressAt === undefined ? Effect.fail(refusals.railNotConnected(network)) : Effect.succeed(addressAt)
}
