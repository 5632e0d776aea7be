/** Keys, ids and tokens that the dev app generates at its first start and reads at every later one. */
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

/** A registered application. A public one has no secret. */
const OAuthClient = Schema.Struct({ clientId: Schema.String, secret: Schema.NullOr(Schema.String) })
export type SecretClient = typeof OAuthClient.Type

const Secrets = Schema.Struct({
  /** Whether a database was created with these secrets. */
  isFounded: Schema.Boolean,
  secretKey: Schema.String,
  adminToken: Schema.String,
  /** Token of the second operator, who has the role `treasurer`. */
  treasurerToken: Schema.String,
  authClientKey: Schema.String,
  /** Carol's builder code. */
  builderCode: Schema.String,
  oauthClients: Schema.Array(OAuthClient),
  users: Schema.Array(User)
})
export type Secrets = typeof Secrets.Type

const fileName = "secrets.json"
/** Files beside this one, any of which shows that a venue was started in this directory. */
const traces = ["dev.json", "postgres"]

/** The secrets file cannot be read. Without it, the database's sealed values cannot be opened. */
export class UnreadableSecrets extends Schema.TaggedError<UnreadableSecrets>()("UnreadableSecrets", {
  path: Schema.String
}) {
  override get message() {
    return `${this.path} is missing or was not written by this release: restore it, or remove the whole directory to start a new venue`
  }
}

const decode = Schema.decodeEffect(Schema.fromJsonString(Secrets))

/** Returns the stored secrets, and adds keys for new users in `names`. */
export const load = Effect.fn("Secrets.load")(function* (dataDir: string, names: ReadonlyArray<string>) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const path = paths.join(dataDir, fileName)
  const isThere = yield* files.exists(path)
  const present = yield* Effect.filter(traces, (name) => files.exists(paths.join(dataDir, name)))
  if (!isThere && present.length > 0) return yield* new UnreadableSecrets({ path })
  const known = isThere
    ? yield* Effect.flatMap(files.readFileString(path), decode).pipe(
        Effect.mapError(() => new UnreadableSecrets({ path }))
      )
    : newSecrets()
  const missing = names.filter((name) => !known.users.some((user) => user.name === name))
  const secrets: Secrets = { ...known, users: [...known.users, ...missing.map(newUser)] }
  yield* save(dataDir, secrets)
  return secrets
})

export const save = Effect.fnUntraced(function* (dataDir: string, secrets: Secrets) {
  yield* (yield* FileSystem.FileSystem).makeDirectory(dataDir, { recursive: true })
  yield* writePrivately((yield* Path.Path).join(dataDir, fileName), JSON.stringify(secrets))
})

/** Replaces a file that only its owner can read. */
export const writePrivately = Effect.fnUntraced(function* (path: string, text: string) {
  const files = yield* FileSystem.FileSystem
  const next = `${path}.next`
  yield* files.writeFileString(next, text, { mode: 0o600 })
  yield* files.chmod(next, 0o600)
  yield* files.rename(next, path)
})

const newSecrets = (): Secrets => ({
  isFounded: false,
  secretKey: `svc_test_${hex(32)}`,
  adminToken: `svc_test_admin_${hex(24)}`,
  treasurerToken: `svc_test_treasurer_${hex(24)}`,
  authClientKey: `pk_test_${hex(16)}`,
  builderCode: SecureRandom.uuidV4Unsafe(),
  oauthClients: [],
  users: []
})

const newUser = (name: string): SecretUser => ({
  name,
  userId: UserId.make(SecureRandom.uuidV4Unsafe()),
  publicKey: `svc_test_pub_${hex(16)}`,
  secretKey: `svc_test_secret_${hex(32)}`,
  walletPrivateKey: newWallet()
})

/** Returns 32 random bytes. The chance of a value above the curve's order is about 2^-128. */
const newWallet = (): string => `0x${hex(32)}`

const hex = (bytes: number): string => Buffer.from(SecureRandom.randomBytesUnsafe(bytes)).toString("hex")
