/** Funded users of a venue whose nodes are separate processes. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as ClusterNode from "@venue/cluster/ClusterNode"
import * as Runner from "@venue/cluster/Runner"
import { UserId } from "@venue/domain/UserId"
import { Seal } from "@venue/postgres/Seal"
import { Journal } from "@venue/journal/Journal"
import * as AccessTables from "@venue/storage/access/AccessTables"
import { Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Seed from "../../apps/dev/Seed.ts"
import type { User } from "./DevApp.ts"

const people = Array.from({ length: 4 }, (_, index) => ({
  name: `trader-${index + 1}`,
  userId: UserId.make(`00000000-0000-4000-8000-00000000000${index + 1}`),
  publicKey: `svc_test_pub_${String(index + 1).padStart(32, "0")}`,
  secretKey: `svc_test_secret_${index + 1}`,
  walletPrivateKey: `0x${String(index + 1).padStart(64, "0")}`
}))

/** Creates the users, through a node in this process that owns no entities. `secretKey` is the venue's. */
export const plant = async (database: string, secretKey: string): Promise<ReadonlyArray<User>> => {
  const services = Runner.clients.pipe(
    Layer.provideMerge(ClusterNode.gateway({ lockSeconds: 3, dialFrom: undefined, tls: undefined })),
    Layer.provideMerge(Layer.merge(AccessTables.layer, Journal.layer)),
    Layer.provideMerge(SecureRandom.layerWebCrypto),
    Layer.provideMerge(Seal.layer(Redacted.make(secretKey))),
    Layer.provideMerge(PgClient.layer({ url: Redacted.make(database), maxConnections: 6 }))
  )
  await Effect.runPromise(Effect.provide(Seed.plant({ people, builderCode: "", termsVersion: "1" }), services))
  return people.map(({ name, publicKey, secretKey, userId }) => ({
    name,
    user_id: userId,
    public_key: publicKey,
    secret_key: secretKey
  }))
}
