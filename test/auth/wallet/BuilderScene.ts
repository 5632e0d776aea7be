/** Builders, wallets and their services, in memory and on Postgres. */
import { type Builder, BuilderRegistration } from "@venue/auth/wallet/BuilderRegistration"
import { type BuilderTerms } from "@venue/auth/wallet/BuilderMessage"
import { Hmac } from "@venue/auth/access/Hmac"
import { KeyPrefix } from "@venue/auth/keys/KeyPair"
import { type Requirements, UserEligibility } from "@venue/auth/access/Eligibility"
import { UserId } from "@venue/domain/UserId"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { Audit } from "@venue/storage/access/Audit"
import { BuilderCodes } from "@venue/storage/access/BuilderCodes"
import { Factors } from "@venue/storage/access/Factors"
import { Identities } from "@venue/storage/access/Identities"
import { LegalAcceptances } from "@venue/storage/access/LegalAcceptances"
import { Nonces } from "@venue/storage/access/Nonces"
import { Profiles } from "@venue/storage/access/Profiles"
import { Revocations } from "@venue/storage/access/Revocations"
import { Seal } from "@venue/postgres/Seal"
import { Transaction } from "@venue/postgres/Transaction"
import { Users } from "@venue/storage/access/Users"
import { UserStates } from "@venue/storage/access/UserStates"
import { WalletNonces } from "@venue/storage/access/WalletNonces"
import { WithdrawalAddresses } from "@venue/storage/access/WithdrawalAddresses"
import { assert } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { postgresLayer } from "../../Postgres.ts"
import { wallet } from "./Wallets.ts"

export const terms: BuilderTerms = {
  serviceName: "Example Venue",
  uri: "https://app.venue.example/login",
  agreementUrl: "https://venue.example/legal/client-agreement",
  macKey: Redacted.make("mac-key-of-the-builder-messages-1")
}
const requirements: Requirements = {
  verifiedIdentity: false,
  termsVersion: "2026-01",
  blockedCountries: new Set(),
  secondFactorToFund: false
}

export const registration = (changes: Partial<BuilderTerms> = {}) =>
  BuilderRegistration.layer({ terms: { ...terms, ...changes } }).pipe(
    Layer.provide(Layer.succeed(KeyPrefix, "svc_test"))
  )

export type Stored =
  | BuilderRegistration
  | ApiKeys
  | Audit
  | BuilderCodes
  | Hmac
  | Identities
  | LegalAcceptances
  | Profiles
  | SecureRandom.SecureRandom
  | UserEligibility
  | Transaction
  | Users
  | UserStates
  | WalletNonces
  | WithdrawalAddresses

let builders = 0
let wallets = 0
/** Creates a builder that is allowed to register wallets, and an unknown wallet. */
export const scene = Effect.gen(function* () {
  const userId = `builder-user-${++builders}`
  const username = `builder${builders}`
  const builderCode = `00000000-0000-4000-8000-${String(builders).padStart(12, "0")}`
  yield* (yield* Users).create({ userId: UserId.make(userId), name: username })
  yield* (yield* Profiles).change(UserId.make(userId), { username })
  yield* (yield* BuilderCodes).create({
    userId: UserId.make(userId),
    builderCode,
    venueBps: 5_000,
    builderBps: 5_000,
    active: false
  })
  yield* (yield* BuilderCodes).setActive(builderCode, true)
  const builder: Builder = { userId: UserId.make(userId), username, builderCode }
  return { builder, owner: wallet(++wallets) }
})
export const message = (builder: Builder, address: string) =>
  Effect.flatMap(BuilderRegistration, (service) => service.message(address, builder.builderCode))
export const register = (builder: Builder, text: string, signature: string) =>
  Effect.flatMap(BuilderRegistration, (service) => service.register(builder, { message: text, signature }))
export const registered = Effect.fnUntraced(function* (builder: Builder, owner: ReturnType<typeof wallet>) {
  const text = yield* message(builder, owner.address)
  return yield* register(builder, text, owner.sign(text))
})
/** Asserts that a rejection changed nothing: the wallet is still unknown, and a valid message still works. */
export const unchanged = Effect.fnUntraced(function* (
  builder: Builder,
  owner: ReturnType<typeof wallet>,
  text: string
) {
  const { userId } = yield* register(builder, text, owner.sign(text))
  assert.lengthOf(yield* (yield* LegalAcceptances).ofUser(userId), 1)
  assert.lengthOf(yield* (yield* Audit).about(userId), 1)
})
export const refused = (builder: Builder, text: string, signature: string) =>
  Effect.map(Effect.flip(register(builder, text, signature)), ({ _tag }) => _tag)

const secret = Seal.layer(Redacted.make("0123456789abcdef0123456789abcdef"))
const base = Layer.merge(SecureRandom.layerWebCrypto, secret)

/** Receives no announcements, so that a fresh result proves that this node dropped its own cache. */
const deaf = Layer.merge(
  Hmac.layer,
  UserEligibility.layer(() => requirements)
).pipe(
  Layer.provide(
    Layer.mock(Revocations)({ announce: () => Effect.void, watch: () => Effect.void, delayMillis: () => 0 })
  )
)

export const inMemory = registration().pipe(
  Layer.provideMerge(deaf),
  Layer.provideMerge(Layer.mergeAll(ApiKeys.layerMemory, Identities.layerMemory, UserStates.layerMemory)),
  Layer.provideMerge(
    Layer.mergeAll(
      Audit.layerMemory,
      BuilderCodes.layerMemory,
      Factors.layerMemory,
      LegalAcceptances.layerMemory,
      Nonces.layerMemory,
      Profiles.layerMemory,
      Revocations.layerMemory,
      Transaction.layerMemory,
      Users.layerMemory,
      WalletNonces.layerMemory,
      WithdrawalAddresses.layerMemory
    )
  ),
  Layer.provideMerge(base)
)
export const onPostgres = registration().pipe(
  Layer.provideMerge(deaf),
  Layer.provideMerge(Layer.mergeAll(ApiKeys.layer, Identities.layer, UserStates.layer)),
  Layer.provideMerge(
    Layer.mergeAll(
      Audit.layer,
      BuilderCodes.layer,
      LegalAcceptances.layer,
      Nonces.layer,
      Profiles.layer,
      Revocations.layer,
      Transaction.layer,
      Users.layer,
      WalletNonces.layer,
      WithdrawalAddresses.layer
    )
  ),
  Layer.provideMerge(base),
  Layer.provideMerge(postgresLayer)
)
