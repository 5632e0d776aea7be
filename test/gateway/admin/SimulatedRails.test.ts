/** Tests of simulated rails that an operator controls in development. */
import { RailProviders } from "@venue/providers/rails/RailProvider"
import { DepositAddresses } from "@venue/storage/treasury/DepositAddresses"
import { Deposits } from "@venue/storage/treasury/Deposits"
import { DepositMessages } from "@venue/storage/treasury/DepositMessages"
import * as TestRails from "@venue/testing/TestRails"
import { layerMemory, TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option, Schedule } from "effect"
import { layer, layerOver, RestClient } from "../rest/RestClient.ts"

const withRails = layerOver.pipe(Layer.provideMerge(TestRails.layer), Layer.provideMerge(layerMemory))

it.layer(withRails, { excludeTestServices: true })("simulated rails", (it) => {
  it.effect("credits a bank deposit by its payment reference, and reverses the deposit once", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const amy = yield* (yield* TestVenue).user("amy", 0)
      const { message } = yield* (yield* DepositMessages).provide(amy.userId, "wire")
      const command = { rail: "BANK", sent_to: message, amount: 250, payment_rail: "wire" }
      const { body, status } = yield* admin("POST", "/simulated-rails/deposit", command)
      expect(status).toBe(200)
      const { find } = yield* Deposits
      const is = (state: string) =>
        Effect.repeat(
          Effect.map(find(`BANK/${body.tx_hash}/0`), (deposit) => Option.getOrUndefined(deposit)?.state === state),
          { until: (reached) => reached, schedule: Schedule.spaced("50 millis") }
        )
      yield* is("CREDITED")
      const takeBack = admin("POST", "/simulated-rails/take-back", { tx_hash: body.tx_hash })
      expect((yield* takeBack).status).toBe(204)
      expect((yield* takeBack).status).toBe(404)
      yield* is("REVERSED")
    })
  )

  it.effect(
    "credits a deposit to an address in any letter case, and refuses an address that the venue does not watch",
    () =>
      Effect.gen(function* () {
        const { admin } = yield* RestClient
        const bob = yield* (yield* TestVenue).user("bob", 0)
        const provider = (yield* RailProviders).get("ARBITRUM_ONE")!
        const { address } = yield* (yield* DepositAddresses).provide(bob.userId, "ARBITRUM_ONE", provider.addressAt!)
        const send = (sent_to: string) =>
          admin("POST", "/simulated-rails/deposit", { rail: "ARBITRUM_ONE", sent_to, amount: 40 })
        const { find } = yield* Deposits
        for (const written of [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`]) {
          const { body, status } = yield* send(written)
          expect(status).toBe(200)
          const deposit = yield* Effect.repeat(find(`ARBITRUM_ONE/${body.tx_hash}/0`), {
            until: Option.isSome,
            schedule: Schedule.spaced("50 millis")
          })
          expect(Option.getOrThrow(deposit).userId).toBe(bob.userId)
        }
        const nobody = yield* send(`0x${"12".repeat(20)}`)
        expect(nobody.status).toBe(404)
        expect(JSON.stringify(nobody.body)).toContain("deposit address on ARBITRUM_ONE")
      })
  )

  it.effect("refuses a value out of bounds in a command to a simulated rail, and returns 204 for a valid command", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const statusOf = (path: string, body: object) =>
        Effect.map(admin("POST", `/simulated-rails/${path}`, body), ({ status }) => status)
      expect(yield* statusOf("reorganise", { rail: "TRON", blocks: 3, comes_again: true })).toBe(204)
      expect(yield* statusOf("reorganise", { rail: "TRON", blocks: 91, comes_again: true })).toBe(422)
      expect(yield* statusOf("next-payment", { rail: "TRON", fate: "fail" })).toBe(204)
      expect(yield* statusOf("next-payment", { rail: "TRON", fate: "vanish" })).toBe(422)
      expect(yield* statusOf("cut-off", { rail: "TRON", seconds: 1 })).toBe(204)
      expect(yield* statusOf("cut-off", { rail: "MOON", seconds: 1 })).toBe(422)
      expect(yield* statusOf("deposit", { rail: "TRON", sent_to: "T", amount: -1 })).toBe(422)
    })
  )
})

it.layer(layer, { excludeTestServices: true })("real rails", (it) => {
  it.effect("returns 404 for a simulation command to a real rail", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const command = { rail: "TRON", fate: "fail" }
      expect((yield* admin("POST", "/simulated-rails/next-payment", command)).status).toBe(404)
    })
  )
})
