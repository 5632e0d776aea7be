/** `dev.json` in the data directory: URLs, keys and users of a venue started on this machine. */
import { firstOperator } from "@venue/domain/Operator"
import { Effect, FileSystem, Path, Schema } from "effect"
import { dataDir } from "../process/DatabaseSettings.ts"
import type { Secrets, SecretUser } from "./Secrets.ts"
import * as Seed from "./Seed.ts"
import type { Settings } from "./Settings.ts"

const User = Schema.Struct({
  name: Schema.String,
  public_key: Schema.String,
  secret_key: Schema.RedactedFromValue(Schema.String)
})
export type DevUser = typeof User.Type

export const DevFile = Schema.Struct({
  urls: Schema.Struct({ rest: Schema.String, trade: Schema.String, market_data: Schema.String }),
  users: Schema.Array(User)
})
export type DevFile = typeof DevFile.Type

export interface DevVenue {
  readonly settings: Pick<Settings, "brand" | "serviceName">
  readonly urls: Readonly<Record<string, string>>
  readonly secrets: Secrets
  readonly people: ReadonlyArray<SecretUser>
  readonly signInUri: string
}

/** Returns the contents of `dev.json`, secrets included. */
export const of = ({ people, secrets, settings, signInUri, urls }: DevVenue) => ({
  urls,
  brand: settings.brand,
  auth_client_key: secrets.authClientKey,
  admin_token: secrets.adminToken,
  operators: [
    { name: firstOperator, token: secrets.adminToken, roles: ["admin"] },
    { name: Seed.treasurer.name, token: secrets.treasurerToken, roles: Seed.treasurer.roles }
  ],
  service_name: settings.serviceName,
  sign_in_uri: signInUri,
  users: people
    .filter(({ name }) => name !== Seed.makerName)
    .map(({ name, publicKey, secretKey, userId, walletPrivateKey }) => ({
      name,
      first_name: name.charAt(0).toUpperCase() + name.slice(1),
      last_name: "Example",
      user_id: userId,
      wallet_private_key: walletPrivateKey,
      public_key: publicKey,
      secret_key: secretKey,
      ...(name === Seed.builderName ? { builder_code: secrets.builderCode } : {})
    })),
  oauth_clients: secrets.oauthClients.map(({ clientId, secret }) => ({
    client_id: clientId,
    ...(secret === null ? {} : { client_secret: secret }),
    redirect_uri: Seed.redirectUri,
    public: secret === null
  }))
})

/** No venue was started on the data directory. */
export class NoVenue extends Schema.TaggedError<NoVenue>()("NoVenue", { path: Schema.String }) {}

/** The file has an unexpected shape. The error shows none of its contents, because the file holds secrets. */
export class UnreadableDevFile extends Schema.TaggedError<UnreadableDevFile>()("UnreadableDevFile", {
  path: Schema.String
}) {}

export const load = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const directory = yield* dataDir
  const path = paths.join(directory, "dev.json")
  const text = yield* files.readFileString(path).pipe(Effect.mapError(() => new NoVenue({ path })))
  return yield* Schema.decodeUnknownEffect(Schema.fromJsonString(DevFile))(text).pipe(
    Effect.mapError(() => new UnreadableDevFile({ path }))
  )
})
