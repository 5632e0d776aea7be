/** Test of the rail alarm while TRON's final block does not advance although its latest block does. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import * as Look from "@venue/cluster/entities/rail/Look"
import * as CurrentAlarms from "@venue/gateway/alarms/CurrentAlarms"
import * as TreasuryAlarms from "@venue/gateway/alarms/TreasuryAlarms"
import { BankAccounts } from "@venue/storage/treasury/BankAccounts"
import { DepositAddresses } from "@venue/storage/treasury/DepositAddresses"
import { DepositMessages } from "@venue/storage/treasury/DepositMessages"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { scene, withNodes } from "../../../providers/rails/tron/TronServer.ts"
import * as World from "../../../storage/treasury/TreasuryWorld.ts"

const desk = Layer.succeed(DeskClient)({ ask: () => Effect.die("no deposit arrives") } as never)
const tables = Layer.mergeAll(
  desk,
  BankAccounts.layerMemory,
  DepositAddresses.layerMemory,
  DepositMessages.layerMemory
).pipe(Layer.provide(SecureRandom.layerWebCrypto), Layer.provideMerge(World.inMemory))

/** Blocks in 10 minutes, at one block every 3 s. */
const tenMinutes = 200

it.effect(
  "TRON: raises the RAIL_UNAVAILABLE alarm after 10 minutes without a new final block, until such a block arrives",
  () =>
    withNodes(
      Effect.gen(function* () {
        const { chain, mine, provider, servers } = yield* scene()
        const look = yield* Look.make(provider)
        const alarms = Effect.map(yield* TreasuryAlarms.make, CurrentAlarms.alarmsOf)
        servers[0]!.solidAt = chain.solid.number
        const [stands, from] = [chain.solid.number, chain.head.number]
        assert.isTrue(yield* look)
        yield* mine(tenMinutes - 1)
        assert.isTrue(yield* look)
        assert.deepStrictEqual(yield* alarms, [])

        yield* mine()
        assert.isTrue(yield* look, "the alarm does not slow the rail down")
        const since = new Date(yield* Clock.currentTimeMillis).toISOString()
        const reason = `The final block has stayed at ${stands} for 10 minutes, while the head block moved from ${from} to ${from + tenMinutes}.`
        const [{ id, ...alarm } = {}] = yield* alarms
        assert.match(id ?? "", /^alarm_[0-9a-f]{32}$/)
        assert.deepStrictEqual(alarm, { kind: "RAIL_UNAVAILABLE", symbol: null, since, rail: "TRON", reason })

        servers[0]!.solidAt = stands + 1
        assert.isTrue(yield* look)
        assert.deepStrictEqual(yield* alarms, [])
      }).pipe(Effect.provide(tables))
    )
)
