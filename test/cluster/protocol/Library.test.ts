import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { EntityAddress, EntityId, EntityType, Runners, ShardId, Snowflake } from "effect/cluster"
import * as Headers from "effect/http/Headers"
import { serialization } from "./Message.ts"

// The envelope must not change, so that nodes of two releases can communicate. Each frame begins with a fingerprint
// of its schema, and a node closes a connection on which the fingerprint differs from its own.
describe("library envelope", () => {
  it.each([
    [
      "Request",
      { _tag: "Request", id: "7", tag: "Effect", payload: Uint8Array.of(1, 2), headers: [] },
      "GiGnH79IhhL/awcAAgECAgE3BkVmZmVjdAEA"
    ],
    ["Chunk", { _tag: "Chunk", requestId: "7", values: Uint8Array.of(1, 2) }, "ECGnH79IhhL/awUCAQICATc="],
    ["Exit", { _tag: "Exit", requestId: "7", exit: Uint8Array.of(1, 2) }, "ECGnH79IhhL/awECATcCAQI="],
    ["Defect", { _tag: "Defect", defect: Uint8Array.of(1, 2) }, "DSGnH79IhhL/awICAQI="],
    ["Ack", { _tag: "Ack", requestId: "7" }, "DSGnH79IhhL/awACATc="],
    ["Interrupt", { _tag: "Interrupt", requestId: "7" }, "DSGnH79IhhL/awgCATc="],
    ["Ping", { _tag: "Ping" }, "CiGnH79IhhL/awM="],
    ["Pong", { _tag: "Pong" }, "CiGnH79IhhL/awY="]
  ])("encodes and decodes a %s frame as the stored bytes", (_, frame, bytes) => {
    assert.deepStrictEqual(serialization.makeUnsafe().decode(Buffer.from(bytes, "base64")), [frame])
    assert.strictEqual(base64(serialization.makeUnsafe().encode(frame)), bytes)
  })

  it("encodes a call to an entity as the stored bytes, which nodes of other releases can decode", () => {
    const bytes =
      "ayCQm8GqH1+YlcWaFinQ27jyNAREZXNruOem2kADYy0ysKajq1kQga6NzhsG4Oij7i8EZGVza6j67sMZAgEC+Om9nRsFxra21TXw4LWiOQdSZXF1ZXN0mJnl/UoEV2FrZcieu5lrAJO89eEp"
    const codec = serialization.codecFor(Runners.Rpcs.requests.get("Effect")!.payloadSchema) as Schema.Codec<
      unknown,
      unknown
    >
    const shardId = ShardId.make("desk", 3)
    const request = {
      _tag: "Request",
      requestId: Snowflake.Snowflake(7_203_114_403n),
      address: EntityAddress.make({ shardId, entityType: EntityType.make("Desk"), entityId: EntityId.make("c-2") }),
      tag: "Wake",
      payload: Uint8Array.of(1, 2),
      headers: Headers.empty
    }
    const decoded = Schema.decodeUnknownSync(codec)(Buffer.from(bytes, "base64"))
    assert.deepStrictEqual(decoded, { request, persisted: false })
    assert.strictEqual(base64(Schema.encodeSync(codec)({ request, persisted: false })), bytes)
  })
})

function base64(bytes: unknown): string {
  return Buffer.from(bytes as Uint8Array).toString("base64")
}
