import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Effect, FileSystem, Result, type Scope } from "effect"
import { join } from "node:path"
import * as SigningPolicy from "../../../apps/wallet/SigningPolicy.ts"
import * as SigningRecord from "../../../apps/wallet/SigningRecord.ts"
import { limits, payment } from "./Orders.ts"

const owner = { hot: "0x90F79bf6EB2c4f870365E785982E1f101E93b906", chainId: 42_161 }

const made = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = join(yield* files.makeTempDirectoryScoped(), "record")
  yield* SigningRecord.create(path, owner)
  return { files, path }
})

const sign = (record: SigningRecord.SigningRecord, order = payment()) =>
  Effect.map(
    record.decide((policy) => SigningPolicy.decide(policy, limits, order, 0)),
    Result.isSuccess
  )

const test = (name: string, body: Effect.Effect<void, unknown, NodeServices.NodeServices | Scope.Scope>) =>
  it.live(name, () => body.pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

test(
  "makes the same decisions after the record's file is reopened",
  Effect.gen(function* () {
    const { path } = yield* made
    yield* Effect.scoped(
      Effect.gen(function* () {
        const record = yield* SigningRecord.open(path, owner)
        assert.isTrue(yield* sign(record))
        assert.isFalse(yield* sign(record, payment({ nonce: 9 })))
      })
    )
    const record = yield* SigningRecord.open(path, owner)
    assert.isFalse(yield* sign(record, payment({ nonce: 9 })))
    assert.isFalse(yield* sign(record, payment({ withdrawalId: "other" })))
    assert.isTrue(yield* sign(record))
  })
)

test(
  "removes an incomplete last line from the record, because that line was never acknowledged",
  Effect.gen(function* () {
    const { files, path } = yield* made
    yield* Effect.scoped(Effect.flatMap(SigningRecord.open(path, owner), (record) => sign(record)))
    const text = yield* files.readFileString(path)
    const lines = text.split("\n")
    for (let cut = 1; cut <= lines[1]!.length; cut += 7) {
      yield* files.writeFileString(path, text.slice(0, text.length - cut))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const record = yield* SigningRecord.open(path, owner)
          assert.isTrue(yield* sign(record, payment({ nonce: 9 })))
        })
      )
      const again = yield* Effect.scoped(
        Effect.flatMap(SigningRecord.open(path, owner), (record) => sign(record, payment()))
      )
      assert.isFalse(again)
    }
  })
)

test(
  "refuses a record that is missing, damaged or belongs to another key, and does not overwrite it",
  Effect.gen(function* () {
    const { files, path } = yield* made
    const reasonOf = (name: string, whose = owner) => Effect.map(Effect.flip(SigningRecord.open(name, whose)), String)
    assert.match(yield* reasonOf(`${path}-none`), /cannot be read. For a new key, create the record/)
    assert.match(yield* reasonOf(path, { ...owner, hot: `0x${"1".repeat(40)}` }), /is the record of 0x90F7/)
    assert.match(yield* reasonOf(path, { ...owner, chainId: 1 }), /on chain 42161, not of this key/)
    assert.match(String(yield* Effect.flip(SigningRecord.create(path, owner))), /a record exists already/)
    const text = yield* files.readFileString(path)
    yield* files.writeFileString(path, `${text}{"_tag":"PaymentAllowed"}\n`)
    assert.match(yield* reasonOf(path), /line 2 of .* is damaged/)
    yield* files.writeFileString(path, "")
    assert.match(yield* reasonOf(path), /is not a signing record/)
  })
)

test(
  "if two wallets write to the same record, at most one of them can continue",
  Effect.gen(function* () {
    const { path } = yield* made
    const [first, second] = [yield* SigningRecord.open(path, owner), yield* SigningRecord.open(path, owner)]
    assert.isTrue(yield* sign(first))
    const broken = yield* Effect.flip(sign(second, payment({ nonce: 9 })))
    assert.strictEqual(broken._tag, "RecordBroken")
    assert.strictEqual((yield* Effect.flip(sign(second)))._tag, "RecordBroken")
  })
)
