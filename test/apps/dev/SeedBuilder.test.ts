/** Tests of a new dev venue's builder code. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { UserId } from "@venue/domain/UserId"
import { BuilderCodes } from "@venue/storage/access/BuilderCodes"
import { layerMemory } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Seed from "../../../apps/dev/Seed.ts"

const userId = UserId.make("00000000-0000-4000-8000-0000000000ca")
const carol = {
  name: Seed.builderName,
  userId,
  publicKey: "svc_test_pub_ca",
  secretKey: "svc_test_secret_ca",
  walletPrivateKey: `0x${"ca".repeat(32)}`
}
const builderCode = "c2a95d1e-7f30-4b8a-8f64-0d9e3b6c5a21"

it.effect("creates an active builder code with rewards of 0, and changes nothing on a restart", () =>
  Effect.gen(function* () {
    const plant = Seed.plant({ people: [carol], builderCode, termsVersion: "1" })
    yield* plant
    yield* plant
    assert.isTrue(Option.getOrThrow(yield* (yield* BuilderCodes).ofUser(userId)).active)
    const query = { userId, accountId: primaryAccountOf(userId), cost: noCost }
    const { balance } = yield* (yield* DeskClient).summary(query)
    assert.strictEqual(balance.builderRewards, 0n)
  }).pipe(Effect.provide(layerMemory))
)
