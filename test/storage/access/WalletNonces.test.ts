import { Transaction } from "@venue/postgres/Transaction"
import { WalletNonces } from "@venue/storage/access/WalletNonces"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

const until = (expiresAtMillis: number) => ({ issuedAtMillis: 0, expiresAtMillis })

const suite = (name: string, services: Layer.Layer<Transaction | WalletNonces, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("I42: accepts a wallet nonce once per purpose and address", () =>
      Effect.gen(function* () {
        const nonces = yield* WalletNonces
        yield* nonces.use("signin", "0xa1", "abcdefgh", until(1_000))
        const used = yield* Effect.flip(nonces.use("signin", "0xa1", "abcdefgh", until(9_000)))
        assert.deepInclude(used, { _tag: "WalletNonceUsed", purpose: "signin", address: "0xa1" })
        yield* nonces.use("builder", "0xa1", "abcdefgh", until(1_000))
        yield* nonces.use("signin", "0xa2", "abcdefgh", until(1_000))
        yield* nonces.use("signin", "0xa1", "ABCDEFGH", until(1_000))
      })
    )

    it.effect("W3: accepts exactly one of many concurrent uses of a wallet nonce", () =>
      Effect.gen(function* () {
        const nonces = yield* WalletNonces
        const uses = Array.from({ length: 10 }, () =>
          Effect.exit(nonces.use("signin", "0xb1", "abcdefgh", until(1_000)))
        )
        const exits = yield* Effect.all(uses, { concurrency: "unbounded" })
        assert.strictEqual(exits.filter(({ _tag }) => _tag === "Success").length, 1)
      })
    )

    it.effect("W18: frees a wallet nonce if the transaction that uses it fails", () =>
      Effect.gen(function* () {
        const nonces = yield* WalletNonces
        const { run } = yield* Transaction
        const use = nonces.use("signin", "0xc1", "abcdefgh", until(1_000))
        yield* Effect.flip(run(Effect.andThen(use, Effect.fail("refused"))))
        yield* use
        yield* Effect.flip(use)
      })
    )

    it.effect("I50: accepts wallet nonces and addresses that contain any characters", () =>
      Effect.gen(function* () {
        const nonces = yield* WalletNonces
        for (const text of ["", "\0", "'; drop table identity", "空", "\ud800", "x".repeat(10_000)]) {
          yield* nonces.use("signin", text, text, until(1_000))
          yield* Effect.flip(nonces.use("signin", text, text, until(1_000)))
        }
      })
    )
  })

suite("WalletNonces in memory", Layer.mergeAll(Transaction.layerMemory, WalletNonces.layerMemory))
suite(
  "WalletNonces on Postgres",
  Layer.mergeAll(Transaction.layer, WalletNonces.layer).pipe(Layer.provide(postgresLayer))
)

it.effect("keeps a wallet nonce's row until the message expires, and stores only a hash of the nonce", () =>
  Effect.gen(function* () {
    const nonces = yield* WalletNonces
    const sql = yield* SqlClient.SqlClient
    yield* nonces.use("signin", "0xd1", "secretnonce1", until(1_000))
    yield* nonces.use("signin", "0xd1", "secretnonce2", until(3_000))
    yield* TestClock.setTime(2_000)
    yield* nonces.use("signin", "0xd1", "secretnonce3", until(4_000))
    const rows = yield* sql<{ readonly row: string }>`select wallet_nonce_use::text as row from wallet_nonce_use`
    assert.strictEqual(rows.length, 2)
    assert.notMatch(JSON.stringify(rows), /secretnonce/)
    assert.notMatch(JSON.stringify(rows), new RegExp(Buffer.from("secretnonce").toString("hex")))
  }).pipe(Effect.provide(WalletNonces.layer.pipe(Layer.provideMerge(postgresLayer))))
)
