/** The witness that the wallet keeps for the runners. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import type * as WitnessLine from "@venue/journal/witness/WitnessLine"
import { assert, it } from "@effect/vitest"
import { Effect, FileSystem, Option, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import * as WalletWitness from "../../../apps/process/witness/WalletWitness.ts"
import * as TestWallet from "./TestWallet.ts"

const row = (stream: string, seq: number): WitnessLine.Entry => ({
  _tag: "Row",
  row: { stream, seq, epoch: 1, digest: "0123456789abcdef" }
})
const connect = (url: string, secret = TestWallet.secret) => WalletWitness.open({ url, secret: Redacted.make(secret) })

it.live("keeps the newest row of each stream of all runners, over its own restarts", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const witnessDir = Option.some(yield* files.makeTempDirectoryScoped())
    const options = { ...(yield* TestWallet.options()), witnessDir }
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* TestWallet.open(options)
        const runner = yield* connect(url)
        assert.deepStrictEqual(yield* runner.read, [])
        yield* runner.append(Array.from({ length: 2_000 }, (_, index) => row(`trader/${index}`, 1)))
        const other = yield* connect(url)
        yield* other.append([row("trader/7", 5)])
        yield* runner.append([row("trader/7", 4)])
      })
    )
    const { url } = yield* TestWallet.open(options)
    const known = yield* (yield* connect(url)).read
    assert.lengthOf(known!, 2_000)
    assert.deepInclude(known!, row("trader/7", 5))
  }).pipe(Effect.scoped, Effect.provide([NodeServices.layer, FetchHttpClient.layer]))
)

it.live("refuses another secret and damaged lines, and returns 404 without a witness", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const witnessDir = Option.some(yield* files.makeTempDirectoryScoped())
    const { url } = yield* TestWallet.open({ ...(yield* TestWallet.options()), witnessDir })
    const wrong = yield* connect(url, "another-secret-of-32-characters-or")
    assert.include((yield* Effect.flip(wrong.read)).message, "401")
    assert.include((yield* Effect.flip(wrong.append([row("a", 1)]))).message, "401")
    const damaged = yield* Effect.promise(() =>
      fetch(`${url}/witness`, {
        method: "POST",
        headers: { authorization: `Bearer ${TestWallet.secret}` },
        body: '{"v":1,"stream":"a","seq":1}\n'
      })
    )
    assert.strictEqual(damaged.status, 422)
    const without = yield* TestWallet.open(yield* TestWallet.options())
    assert.isUndefined(yield* (yield* connect(without.url)).read)
  }).pipe(Effect.scoped, Effect.provide([NodeServices.layer, FetchHttpClient.layer]))
)
