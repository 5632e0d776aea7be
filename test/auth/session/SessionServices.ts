/** Services of sign-in and sessions, in memory and on Postgres. */
import { Bearers } from "@venue/auth/session/Bearers"
import { SessionTokens } from "@venue/auth/session/SessionTokens"
import { KeyRotation } from "@venue/auth/keys/KeyRotation"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { sitesOf } from "@venue/auth/wallet/SignInSite"
import { WalletSignIn } from "@venue/auth/wallet/WalletSignIn"
import { Audit } from "@venue/storage/access/Audit"
import { Factors } from "@venue/storage/access/Factors"
import { Identities } from "@venue/storage/access/Identities"
import { Revocations, RevokesAlone } from "@venue/storage/access/Revocations"
import { Seal } from "@venue/postgres/Seal"
import { Sessions } from "@venue/storage/access/Sessions"
import { SigningKeyTable } from "@venue/storage/access/SigningKeyTable"
import { Transaction } from "@venue/postgres/Transaction"
import { Users } from "@venue/storage/access/Users"
import { UserStates } from "@venue/storage/access/UserStates"
import { WalletNonces } from "@venue/storage/access/WalletNonces"
import { Layer, Redacted, Result } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { postgresLayer } from "../../Postgres.ts"

export const issuer = "https://auth.venue.example/auth/v1"

export const serverKey = Redacted.make("a server key for tests, and for nothing else")

export const sites = Result.getOrThrow(
  sitesOf(["https://app.venue.example/login", "https://other.venue.example/login"], { allowLoopback: false })
)

export type Services =
  | Audit
  | Bearers
  | Identities
  | KeyRotation
  | Revocations
  | SecureRandom.SecureRandom
  | Sessions
  | SessionTokens
  | SigningKeys
  | Transaction
  | Users
  | UserStates
  | WalletNonces
  | WalletSignIn

const useCases = Layer.mergeAll(
  WalletSignIn.layer({ enabled: true, serviceName: "Example Venue", sites }),
  Bearers.layer({ issuer })
).pipe(
  Layer.provideMerge(SessionTokens.layer({ issuer, serverKey })),
  Layer.provideMerge(KeyRotation.layer),
  Layer.provideMerge(SigningKeys.layer)
)

export const memory: Layer.Layer<Services, unknown> = useCases.pipe(
  Layer.provideMerge(
    Layer.mergeAll(Identities.layerMemory, Sessions.layerMemory, UserStates.layerMemory, WalletNonces.layerMemory)
  ),
  Layer.provideMerge(
    Layer.mergeAll(
      Audit.layerMemory,
      Factors.layerMemory,
      Revocations.layerMemory,
      SigningKeyTable.layerMemory,
      SecureRandom.layerWebCrypto,
      Transaction.layerMemory,
      Users.layerMemory
    )
  )
)

export const postgres: Layer.Layer<Services, unknown> = useCases.pipe(
  Layer.provideMerge(Layer.mergeAll(Identities.layer, Sessions.layer, UserStates.layer, WalletNonces.layer)),
  Layer.provideMerge(
    Layer.mergeAll(
      Audit.layer,
      Factors.layer,
      Revocations.layer,
      SigningKeyTable.layer,
      SecureRandom.layerWebCrypto,
      Transaction.layer,
      Users.layer
    )
  ),
  Layer.provide(Seal.layer(Redacted.make("a secret key for tests, and for nothing else"))),
  // Disables the check for late revocations, because the test clock jumps by an hour.
  Layer.provide(Layer.succeed(RevokesAlone, true)),
  Layer.provide(postgresLayer)
)
