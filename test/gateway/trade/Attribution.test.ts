/** Tests of a connection's builder code while the database is unavailable. */
import { TradeGateway } from "@venue/gateway/trade/TradeGateway"
import { BuilderCodes } from "@venue/storage/access/BuilderCodes"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Client from "@venue/testing/Client"
import { layerMemory, TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"

it.effect("refuses a sign-in whose builder code cannot be looked up, and accepts a sign-in without a code", () =>
  Effect.gen(function* () {
    const venue = yield* TestVenue
    const codes = yield* BuilderCodes
    const gone = BuilderCodes.of({ ...codes, find: () => Effect.fail(new DatabaseUnavailable({ cause: "a test" })) })
    const gateway = Context.get(
      yield* Effect.provideService(Layer.build(Layer.fresh(TradeGateway.layer)), BuilderCodes, gone),
      TradeGateway
    )
    const alice = yield* venue.user("alice")
    const client = yield* Client.open((transport) => gateway.open(transport, "C2A95D1E-7F30-4B8A-8F64-0D9E3B6C5A21"))
    yield* client.send({ type: "auth", params: { hmac: yield* venue.sign(alice) } })
    assert.strictEqual((yield* client.take("err")).err.error_code, "ServerError")
    yield* client.send({ type: "auth", params: { hmac: yield* venue.sign(alice), builder_code: "no uuid" } })
    yield* client.take("authenticated")
  }).pipe(Effect.provide(layerMemory))
)
