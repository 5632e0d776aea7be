/** Balance list for an offline signer, against a simulated chain. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as TronAddress from "@venue/providers/rails/tron/TronAddress"
import { assert, it } from "@effect/vitest"
import { Config, ConfigProvider, Effect, Stream } from "effect"
import { list, run } from "../../../apps/tron/Balances.ts"
import * as TronSettings from "../../../apps/process/TronSettings.ts"
import * as TestRail from "../../providers/rails/arbitrum/TestRail.ts"
import { genesisId, solidDepth } from "../../providers/rails/tron/TronChain.ts"
import { scene, withNodes } from "../../providers/rails/tron/TronServer.ts"

it.effect("lists the addresses whose final balance is high enough, in index order and without a key", () =>
  withNodes(
    Effect.gen(function* () {
      const { deposit, mine, servers } = yield* scene()
      const address = (index: number) => TronAddress.ofEvm(TestRail.addressAt(index))
      yield* deposit(address(7), 100_000_000n)
      yield* deposit(address(2), 99_999_999n)
      yield* deposit(address(0), 1_234_567_890n)
      yield* deposit(address(9), 500_000_000n)
      yield* mine(solidDepth + 1)
      yield* deposit(address(3), 100_000_000n)
      yield* mine()
      const environment = ConfigProvider.fromUnknown({
        VENUE_TRON_NODE_URLS: servers[0]!.url,
        VENUE_TRON_XPUB: TestRail.xpub,
        VENUE_TRON_GENESIS: genesisId
      })
      const { tron } = yield* Config.all({ tron: TronSettings.all }).pipe(
        Effect.provideService(ConfigProvider.ConfigProvider, environment)
      )
      assert.deepStrictEqual(yield* Stream.runCollect(list(tron, 9, 100_000_000n)), [
        "index,address,usdt",
        `0,${address(0)},1234.567890`,
        `7,${address(7)},100.000000`
      ])
      servers[0]!.failure = "unavailable"
      const error = yield* Effect.flip(Stream.runCollect(list(tron, 9, 100_000_000n)))
      assert.strictEqual(error._tag, "RailUnavailable")
    })
  )
)

it.effect("refuses wrong arguments and missing settings with a message", () =>
  Effect.gen(function* () {
    for (const args of [[], ["5"], ["0", "1"], ["5", "-1"], ["5", "1.5"], ["1000001", "1"], ["5", "1", "2"]]) {
      assert.match((yield* Effect.flip(run(args))).message, /the number of issued addresses/)
    }
    const missing = yield* Effect.flip(run(["5", "1"]))
    assert.match(missing.message, /^VENUE_TRON_/)
  }).pipe(
    Effect.provide(NodeServices.layer),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({}))
  )
)
