/** What the dev app makes up at its first start and finds again at every later one: keys, ids and tokens. */
import { Effect, FileSystem, Option, Path, Schema } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"

const User = Schema.Struct({
  name: Schema.String,
  userId: Schema.String,
  publicKey: Schema.String,
  secretKey: Schema.String
})
export type SecretUser = typeof User.Type

const Secrets = Schema.Struct({
  secretKey: Schema.String,
  adminToken: Schema.String,
  users: Schema.Array(User)
})
export type Secrets = typeof Secrets.Type

const file = Schema.fromJsonString(Secrets)

/** Everybody in `names` is in the answer, with the same keys as last time. */
export const load = Effect.fn("Secrets.load")(function* (dataDir: string, names: ReadonlyArray<string>) {
  const files = yield* FileSystem.FileSystem
  const path = (yield* Path.Path).join(dataDir, "secrets.json")
  const known = yield* Effect.option(Effect.flatMap(files.readFileString(path), Schema.decodeEffect(file)))
  const before = Option.getOrElse(known, (): Secrets => ({
    secretKey: hex(32),
    adminToken: `svc_test_admin_${hex(24)}`,
    users: []
  }))
  const missing = names.filter((name) => !before.users.some((user) => user.name === name))
  const secrets = { ...before, users: [...before.users, ...missing.map(newUser)] }
  yield* files.makeDirectory(dataDir, { recursive: true })
  yield* writePrivately(path, yield* Schema.encodeEffect(file)(secrets))
  return secrets
})

/** Only the owner may read it. */
export const writePrivately = Effect.fnUntraced(function* (path: string, text: string) {
  const files = yield* FileSystem.FileSystem
  const next = `${path}.next`
  yield* files.writeFileString(next, text, { mode: 0o600 })
  yield* files.chmod(next, 0o600)
  yield* files.rename(next, path)
})

const newUser = (name: string): SecretUser => ({
  name,
  userId: SecureRandom.uuidV4Unsafe(),
  publicKey: `svc_test_pub_${hex(16)}`,
  secretKey: `svc_test_secret_${hex(32)}`
})

const hex = (bytes: number): string => Buffer.from(SecureRandom.randomBytesUnsafe(bytes)).toString("hex")
