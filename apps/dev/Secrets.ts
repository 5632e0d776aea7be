/** What the dev app makes up at its first start and finds again at every later one: keys, ids and tokens. */
import { UserId } from "@venue/domain/UserId"
import { Effect, FileSystem, Path, Schema } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"

const User = Schema.Struct({
  name: Schema.String,
  userId: UserId,
  publicKey: Schema.String,
  secretKey: Schema.String,
  walletPrivateKey: Schema.String
})
export type SecretUser = typeof User.Type

/** An application the venue knows; without a secret it is a public one. */
const OAuthClient = Schema.Struct({ clientId: Schema.String, secret: Schema.NullOr(Schema.String) })
export type SecretClient = typeof OAuthClient.Type

const Secrets = Schema.Struct({
  /** A database holds what was made up here. */
  isFounded: Schema.Boolean,
  secretKey: Schema.String,
  adminToken: Schema.String,
  /** The second operator, who is no admin. */
  treasurerToken: Schema.String,
  authClientKey: Schema.String,
  /** Carol has this builder code. */
  builderCode: Schema.String,
  oauthClients: Schema.Array(OAuthClient),
  users: Schema.Array(User)
})
export type Secrets = typeof Secrets.Type

/** An earlier release wrote the file and did not make up all of it. */
const Known = Schema.Struct({
  isFounded: Schema.optionalKey(Secrets.fields.isFounded),
  secretKey: Secrets.fields.secretKey,
  adminToken: Secrets.fields.adminToken,
  treasurerToken: Schema.optionalKey(Secrets.fields.treasurerToken),
  authClientKey: Schema.optionalKey(Secrets.fields.authClientKey),
  builderCode: Schema.optionalKey(Secrets.fields.builderCode),
  oauthClients: Schema.optionalKey(Secrets.fields.oauthClients),
  users: Schema.Array(Schema.Struct({ ...User.fields, walletPrivateKey: Schema.optionalKey(Schema.String) }))
})

const fileName = "secrets.json"
/** One of these is beside it once a venue was started here. */
const traces = ["dev.json", "postgres", "signing-keys.json"]

/** Without what this file holds, what the database holds could not be opened. */
export class UnreadableSecrets extends Schema.TaggedError<UnreadableSecrets>()("UnreadableSecrets", {
  path: Schema.String
}) {
  override get message() {
    return `${this.path} is gone or not what a venue wrote; put back the one that was there, or remove the whole directory`
  }
}

const decode = Schema.decodeEffect(Schema.fromJsonString(Known))

/** Everybody in `names` is in the answer, with the same keys as last time. */
export const load = Effect.fn("Secrets.load")(function* (dataDir: string, names: ReadonlyArray<string>) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const path = paths.join(dataDir, fileName)
  const isThere = yield* files.exists(path)
  const found = yield* Effect.filter(traces, (name) => files.exists(paths.join(dataDir, name)))
  if (!isThere && found.length > 0) return yield* new UnreadableSecrets({ path })
  const known = isThere
    ? yield* Effect.flatMap(files.readFileString(path), decode).pipe(
        Effect.mapError(() => new UnreadableSecrets({ path }))
      )
    : { secretKey: `svc_test_${hex(32)}`, adminToken: `svc_test_admin_${hex(24)}`, oauthClients: [], users: [] }
  const missing = names.filter((name) => !known.users.some((user) => user.name === name))
  const secrets: Secrets = {
    treasurerToken: `svc_test_treasurer_${hex(24)}`,
    authClientKey: `pk_test_${hex(16)}`,
    builderCode: SecureRandom.uuidV4Unsafe(),
    oauthClients: [],
    // An earlier release registered its applications in the database it had.
    isFounded: (known.oauthClients ?? []).length > 0,
    ...known,
    users: [...known.users.map((user) => ({ walletPrivateKey: newWallet(), ...user })), ...missing.map(newUser)]
  }
  yield* save(dataDir, secrets)
  return secrets
})

export const save = Effect.fnUntraced(function* (dataDir: string, secrets: Secrets) {
  yield* (yield* FileSystem.FileSystem).makeDirectory(dataDir, { recursive: true })
  yield* writePrivately((yield* Path.Path).join(dataDir, fileName), JSON.stringify(secrets))
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
  userId: UserId.make(SecureRandom.uuidV4Unsafe()),
  publicKey: `svc_test_pub_${hex(16)}`,
  secretKey: `svc_test_secret_${hex(32)}`,
  walletPrivateKey: newWallet()
})

/** Any 32 bytes that are not above the order of the curve, which no 2^128 draws would be. */
const newWallet = (): string => `0x${hex(32)}`

const hex = (bytes: number): string => Buffer.from(SecureRandom.randomBytesUnsafe(bytes)).toString("hex")
