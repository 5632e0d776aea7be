/** Handles the operator endpoints that control simulated chains and the simulated bank. */
import { AdminApi } from "@venue/api/admin/Api"
import { microsOf } from "@venue/api/Usd"
import { isNetwork, type RailName } from "@venue/domain/Rail"
import { receiverOf, SimulatedRails } from "@venue/providers/rails/SimulatedRails"
import { DepositAddresses } from "@venue/storage/treasury/DepositAddresses"
import { Effect } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"

export const layer = group(
  AdminApi,
  "simulatedRails",
  Effect.fnUntraced(function* (handlers) {
    const rails = yield* SimulatedRails
    const { owned } = yield* DepositAddresses
    const refusals = yield* apiProblems
    const simulated = (name: RailName) => {
      const rail = rails.get(name)
      return rail === undefined
        ? Effect.fail(refusals.notFound("simulated rail", name, "send a rail that this venue simulates"))
        : Effect.succeed(rail)
    }
    const unavailable = { RailUnavailable: () => Effect.fail(refusals.draining()) }
    return handlers
      .handle(
        "deposit",
        Effect.fnUntraced(
          function* ({ payload: { amount, payment_rail: paymentRail = null, rail, sent_to: to } }) {
            const { deposit } = yield* simulated(rail)
            // The bank accepts any payment reference, but a chain accepts only an address that the venue watches.
            const isWatched = !isNetwork(rail) || (yield* owned(rail, [receiverOf(rail, to)])).length > 0
            if (!isWatched)
              return yield* refusals.notFound(
                `deposit address on ${rail}`,
                to,
                "send an address that GET /address returns"
              )
            return { tx_hash: yield* deposit(to, BigInt(microsOf(amount)), paymentRail) }
          },
          Effect.catchTags({ ...unavailable, DatabaseUnavailable: () => Effect.fail(refusals.draining()) })
        )
      )
      .handle(
        "reorganise",
        Effect.fnUntraced(function* ({ payload: { blocks, comes_again: comesAgain, rail } }) {
          yield* (yield* simulated(rail)).reorganise(blocks, comesAgain)
        }, Effect.catchTags(unavailable))
      )
      .handle(
        "takeBack",
        Effect.fnUntraced(function* ({ payload: { tx_hash: txHash } }) {
          const { takeBack } = yield* simulated("BANK")
          if (!(yield* takeBack(txHash.toLowerCase())))
            return yield* refusals.notFound(
              "bank transfer",
              txHash,
              "send the tx_hash of a bank transfer that was not returned"
            )
        }, Effect.catchTags(unavailable))
      )
      .handle(
        "nextPayment",
        Effect.fnUntraced(function* ({ payload: { fate, rail } }) {
          yield* (yield* simulated(rail)).nextFate(fate)
        }, Effect.catchTags(unavailable))
      )
      .handle(
        "addUntold",
        Effect.fnUntraced(function* ({ payload: { amount, rail } }) {
          yield* (yield* simulated(rail)).addUntold(BigInt(microsOf(amount)))
        }, Effect.catchTags(unavailable))
      )
      .handle(
        "cutOff",
        Effect.fnUntraced(function* ({ payload: { rail, seconds } }) {
          yield* (yield* simulated(rail)).cutOff(seconds)
        }, Effect.catchTags(unavailable))
      )
  })
)
