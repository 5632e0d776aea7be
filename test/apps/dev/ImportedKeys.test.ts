/** A data directory of a release that kept its signing keys in a file goes on with them. */
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { Revocations } from "@venue/storage/access/Revocations"
import { SigningKeyTable } from "@venue/storage/access/SigningKeyTable"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { decodeProtectedHeader, jwtVerify } from "jose"
import * as ImportedKeys from "../../../apps/dev/ImportedKeys.ts"

const tables = Layer.merge(SigningKeyTable.layerMemory, Revocations.layerMemory)

/** The venue of this directory, started: what it says, and its keys. */
const start = (dataDir: string) =>
  Effect.gen(function* () {
    const said: Array<string> = []
    yield* ImportedKeys.setAside(dataDir, (text) => Effect.sync(() => void said.push(text)))
    const keys = yield* SigningKeys
    return { keys, said, states: (yield* keys.ring).map(({ state }) => state) }
  }).pipe(Effect.provide(Layer.fresh(SigningKeys.layerFounded(ImportedKeys.founding(dataDir)))))

it.effect("tokens of before stay good, keys keep their states, and the file is set aside", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const dataDir = yield* files.makeTempDirectoryScoped()
    const path = `${dataDir}/signing-keys.json`
    yield* files.writeFileString(path, written, { mode: 0o600 })
    const first = yield* start(dataDir)
    const { kid } = decodeProtectedHeader(tokenOfBefore)
    const verified = yield* Effect.promise(() => jwtVerify(tokenOfBefore, first.keys.find(kid!)!))
    assert.strictEqual(verified.payload.sub, "somebody")
    assert.deepStrictEqual(first.states, ["active", "standby"])
    assert.strictEqual(decodeProtectedHeader(yield* first.keys.sign({}, "JWT")).kid, kid)
    assert.deepStrictEqual(yield* files.readDirectory(dataDir), ["signing-keys.json.imported"])
    assert.match(first.said.join(), /signing-keys\.json\.imported is read no longer and may be deleted$/)
    const again = yield* start(dataDir)
    assert.isDefined(again.keys.find(kid!))
    assert.deepStrictEqual(again.said, [])
  }).pipe(Effect.scoped, Effect.provide(tables), Effect.provide(NodeServices.layer))
)

it.effect("a start that was cut short once the table had the keys sets the file aside the next time", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const dataDir = yield* files.makeTempDirectoryScoped()
    const path = `${dataDir}/signing-keys.json`
    const before = yield* start(dataDir)
    yield* files.writeFileString(path, written, { mode: 0o600 })
    const after = yield* start(dataDir)
    assert.deepStrictEqual(yield* after.keys.jwks, yield* before.keys.jwks)
    assert.isFalse(yield* files.exists(path))
  }).pipe(Effect.scoped, Effect.provide(tables), Effect.provide(NodeServices.layer))
)

/** As release 79ec4db wrote it. */
const written = `{
  "keys": [
    {
      "state": "active",
      "sinceMillis": 1795452139343,
      "jwk": {
        "kty": "EC",
        "crv": "P-256",
        "x": "mbj2tld6GRbc-BuS39RVM2AK5IOX2SKqhGL3wdtXSwM",
        "y": "qcMQ3QZlpAOBPP9a5GMm95k84vm2JP16onV65-GE4b4",
        "d": "cEY2jRxScOaDAL5WlMgeD51cI7AYsRJHKoLgaoHNQ9s"
      }
    },
    {
      "state": "standby",
      "sinceMillis": 1795452139379,
      "jwk": {
        "kty": "EC",
        "crv": "P-256",
        "x": "ipkDUxU0KRvudzOtMERoW4BbmOa8pJ6QHy0vAIv0Nkg",
        "y": "FdysJb-EBRSIWpMX7xtSUerpfzb3QecWDIxEfaygawc",
        "d": "zEjv71ddi5t6TDkGLumQX3IMibHKfPPC1vdpLShDcAM"
      }
    }
  ]
}`

const tokenOfBefore = [
  "eyJhbGciOiJFUzI1NiIsImtpZCI6IkYxSG9Od0Rjd2NDMkgxSWszck5oZEhpekZZLTh5Mm9mVHNpbEtDbTJhWFkiLCJ0eXAiOiJhdCtqd3QifQ",
  "eyJzdWIiOiJzb21lYm9keSJ9",
  "xllX4xBFjRf-CYmnSz5SwvvF19xZXHtzFmTmVdeLxNyWTYz9Y12eETX_PX0pofSB_5lx-dy8TyqkJgSiifrG9g"
].join(".")
