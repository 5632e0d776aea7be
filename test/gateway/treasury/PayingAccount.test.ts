/**
 * Tests that the account that pays withdrawals is not a valid destination. A gateway reads the account from the
 * rail's cursor.
 */
import * as Cursor from "@venue/providers/rails/arbitrum/Cursor"
import * as TronAddress from "@venue/providers/rails/tron/TronAddress"
import * as TronCursor from "@venue/providers/rails/tron/TronCursor"
import { RailStates } from "@venue/storage/treasury/RailStates"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Config, ConfigProvider, Effect, Layer } from "effect"
import * as ArbitrumSettings from "../../../apps/process/ArbitrumSettings.ts"
import * as BankSettings from "../../../apps/process/BankSettings.ts"
import * as NodeRails from "../../../apps/process/Rails.ts"
import * as TronSettings from "../../../apps/process/TronSettings.ts"
import * as TestRail from "../../providers/rails/arbitrum/TestRail.ts"
import { ask, layer as restLayer, RestClient } from "../rest/RestClient.ts"
import { addressAt } from "./Rails.ts"
import { layerOver } from "./TreasuryClient.ts"

/** Rails of a gateway without a wallet or a chain endpoint. */
const gatewayRails = Layer.unwrap(
  Effect.map(
    Config.all({ arbitrum: ArbitrumSettings.all, tron: TronSettings.all, bank: BankSettings.all }),
    NodeRails.layerGateway
  ).pipe(
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown({ VENUE_ARBITRUM_XPUB: TestRail.xpub, VENUE_TRON_XPUB: TestRail.xpub })
    )
  )
)
const layer = layerOver.pipe(Layer.provideMerge(restLayer), Layer.provideMerge(gatewayRails))

const evm = addressAt(7)
const tron = TronAddress.ofEvm(evm)
const block = { number: 7, hash: "0x7" }
const tronBlock = { number: 7, id: "7".padStart(64, "0") }

for (const { cursor, network, spellings } of [
  {
    network: "ARBITRUM_ONE",
    spellings: [evm, evm.toLowerCase()],
    cursor: Cursor.encode({ read: block, final: block, hot: evm })
  },
  {
    network: "TRON",
    spellings: [tron],
    cursor: TronCursor.write({ tip: tronBlock, solid: tronBlock, hot: TronAddress.hexOf(tron) })
  }
] as const) {
  it.effect(`refuses a withdrawal to the ${network} account that pays withdrawals, and debits nothing`, () =>
    Effect.gen(function* () {
      const { signed } = yield* RestClient
      const user = yield* (yield* TestVenue).user("amy", 1_000)
      const post = Effect.fnUntraced(function* (path: string, body: object) {
        return yield* ask("POST", path, yield* signed(user), body)
      })
      yield* (yield* RailStates).scanned(network, null, cursor)
      for (const spelling of spellings) {
        for (const [path, more] of [
          ["/withdraw", { amount: 20 }],
          ["/withdrawal-addresses", {}]
        ] as const) {
          const { body, status } = yield* post(path, { network, address: spelling, ...more })
          expect([path, spelling, status, body.type]).toEqual([
            path,
            spelling,
            400,
            expect.stringMatching(/\/problems\/invalid-address$/)
          ])
          expect(body.errors).toEqual([
            {
              location: "body.address",
              message: "Expected an address outside the venue; the venue pays withdrawals from this address",
              value: spelling
            }
          ])
        }
      }
      const listed = yield* ask("GET", "/withdrawals", yield* signed(user))
      expect(listed.body.data).toEqual([])

      const another = addressAt(8)
      const outside = network === "TRON" ? TronAddress.ofEvm(another) : another
      expect((yield* post("/withdraw", { network, address: outside, amount: 20 })).status).toBe(200)
    }).pipe(Effect.provide(layer))
  )
}
