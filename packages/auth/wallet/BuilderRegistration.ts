/** Registration of wallets: a builder's backend exchanges a signed message for a key of the wallet's user. */
import { isUuid } from "@venue/domain/Id"
import { UserId } from "@venue/domain/UserId"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { Audit } from "@venue/storage/access/Audit"
import { BuilderCodes } from "@venue/storage/access/BuilderCodes"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Identities } from "@venue/storage/access/Identities"
import { LegalAcceptances } from "@venue/storage/access/LegalAcceptances"
import { Profiles } from "@venue/storage/access/Profiles"
import { Transaction } from "@venue/postgres/Transaction"
import { Users } from "@venue/storage/access/Users"
import { UserStates } from "@venue/storage/access/UserStates"
import { WalletNonces } from "@venue/storage/access/WalletNonces"
import { WithdrawalAddresses } from "@venue/storage/access/WithdrawalAddresses"
import { Clock, Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { createHash } from "node:crypto"
import * as BuilderMessage from "./BuilderMessage.ts"
import { Hmac } from "../access/Hmac.ts"
import * as KeyPair from "../keys/KeyPair.ts"
import { UserEligibility } from "../access/Eligibility.ts"
import { isAddress } from "./WalletAddress.ts"
import { maxAgeMillis } from "./WalletMessage.ts"
import { signerOf } from "./WalletSignature.ts"

/** A builder who is allowed to obtain keys for other users. */
export interface Builder {
  readonly userId: UserId
  readonly builderCode: string
  readonly username: string
}

export interface IssuedKey {
  /** Id of the wallet's user, and of the user's main account. */
  readonly userId: UserId
  readonly publicKey: string
  readonly secretKey: Redacted.Redacted
}

/** A field of the request is invalid; `member` is the field's name in the request. */
export class UnfitForMessage extends Schema.TaggedError<UnfitForMessage>()("UnfitForMessage", {
  member: Schema.Literals(["address", "builder_code"])
}) {}

export class NoActiveBuilderCode extends Schema.TaggedError<NoActiveBuilderCode>()("NoActiveBuilderCode", {
  userId: UserId
}) {}

/** The builder has no username, which would be the label of the key. */
export class BuilderUnnamed extends Schema.TaggedError<BuilderUnnamed>()("BuilderUnnamed", { userId: UserId }) {}

/** The text itself shows that it is not a message for this builder. `fault` is for logs. */
export class MalformedBuilderMessage extends Schema.TaggedError<MalformedBuilderMessage>()("MalformedBuilderMessage", {
  fault: Schema.String
}) {}

/** The signature, time or state is not accepted. Every cause gets the same response; `fault` is only for logs. */
export class WalletAuthenticationFailed extends Schema.TaggedError<WalletAuthenticationFailed>()(
  "WalletAuthenticationFailed",
  { fault: Schema.String }
) {}

export interface BuilderRegistrationOptions {
  readonly terms: BuilderMessage.BuilderTerms
}

export class BuilderRegistration extends Context.Service<
  BuilderRegistration,
  {
    /** Returns a new message for a wallet to sign, without looking up the builder code or storing anything. */
    readonly message: (address: string, builderCode: string) => Effect.Effect<string, UnfitForMessage>
    readonly builder: (
      userId: UserId
    ) => Effect.Effect<Builder, NoActiveBuilderCode | BuilderUnnamed | DatabaseUnavailable>
    /**
     * Returns this builder's new key for the wallet's user. The new key replaces the previous one, which this node
     * rejects immediately and other nodes reject after a revocation. Atomic; after `DatabaseUnavailable` it is
     * unknown whether the key was created.
     */
    readonly register: (
      builder: Builder,
      signed: { readonly message: string; readonly signature: string }
    ) => Effect.Effect<IssuedKey, MalformedBuilderMessage | WalletAuthenticationFailed | DatabaseUnavailable>
  }
>()("@venue/auth/wallet/BuilderRegistration") {
  static readonly layer = ({ terms }: BuilderRegistrationOptions) => Layer.effect(BuilderRegistration, make(terms))
}

const make = Effect.fnUntraced(function* (terms: BuilderMessage.BuilderTerms) {
  const codes = yield* BuilderCodes
  const eligibilities = yield* UserEligibility
  const hmac = yield* Hmac
  const profiles = yield* Profiles
  const random = yield* SecureRandom.SecureRandom
  const issue = yield* issuing(terms)

  return BuilderRegistration.of({
    message: Effect.fn("BuilderRegistration.message")(function* (address: string, builderCode: string) {
      if (!isAddress(address, "any case")) return yield* new UnfitForMessage({ member: "address" })
      if (!isUuid(builderCode)) return yield* new UnfitForMessage({ member: "builder_code" })
      return BuilderMessage.write(terms, {
        address,
        builderCode: builderCode.toLowerCase(),
        nowMillis: yield* Clock.currentTimeMillis,
        random16: yield* random.randomBytes(16)
      })
    }),
    builder: Effect.fn("BuilderRegistration.builder")(function* (userId: UserId) {
      const code = Option.filter(yield* codes.ofUser(userId), ({ active }) => active)
      if (Option.isNone(code)) return yield* new NoActiveBuilderCode({ userId })
      const { username } = yield* profiles.find(userId)
      if (username === null) return yield* new BuilderUnnamed({ userId })
      return { userId, builderCode: code.value.builderCode, username }
    }),
    // Cheap checks run first: only requests with a valid signature, which is expensive to verify, reach the database.
    register: Effect.fn("BuilderRegistration.register")(function* (builder: Builder, { message, signature }) {
      const read = yield* BuilderMessage.read(terms, message, builder.builderCode, yield* Clock.currentTimeMillis).pipe(
        Effect.fromResult,
        Effect.mapError(({ fault, side }) =>
          side === "malformed" ? new MalformedBuilderMessage({ fault }) : new WalletAuthenticationFailed({ fault })
        )
      )
      if (signerOf(message, signature) !== read.addressLower) {
        return yield* new WalletAuthenticationFailed({ fault: "signature" })
      }
      const { key, replaced } = yield* issue(builder, {
        address: read.addressLower,
        agreementUrl: read.agreementUrl,
        nonce: read.nonce,
        messageHash: createHash("sha256").update(message).digest("hex"),
        issuedAtMillis: read.message.issuedAtMillis,
        expiresAtMillis: read.message.issuedAtMillis + maxAgeMillis + graceMillis
      })
      // Runs after the commit, because before it a look-up would cache the previous key again.
      if (Option.isSome(replaced)) hmac.forget(replaced.value)
      eligibilities.forget(key.userId)
      return key
    })
  })
})

/** Issues the key for a wallet that has proved its address, with all related records, in one transaction. */
const issuing = Effect.fnUntraced(function* (terms: BuilderMessage.BuilderTerms) {
  const acceptances = yield* LegalAcceptances
  const addresses = yield* WithdrawalAddresses
  const audit = yield* Audit
  const eligibilities = yield* UserEligibility
  const identities = yield* Identities
  const keys = yield* ApiKeys
  const nonces = yield* WalletNonces
  const pair = yield* KeyPair.make
  const random = yield* SecureRandom.SecureRandom
  const states = yield* UserStates
  const transaction = yield* Transaction
  const users = yield* Users

  return Effect.fnUntraced(
    function* (builder: Builder, proven: Proven) {
      const { address, agreementUrl, expiresAtMillis, issuedAtMillis, messageHash, nonce } = proven
      const { builderCode } = builder
      yield* nonces.use("builder", address, nonce, { issuedAtMillis, expiresAtMillis })
      const { userId } = yield* identities.arrive({ address, seen: null })
      yield* users.lock(userId)
      if ((yield* states.find(userId)).frozen) return yield* new WalletAuthenticationFailed({ fault: "frozen" })
      // A message written before the agreement changed is still valid, but accepts the earlier agreement.
      const termsVersion = agreementUrl === terms.agreementUrl ? eligibilities.requirements.termsVersion : null
      yield* acceptances.record({
        userId,
        termsVersion,
        agreementUrl,
        builder: { builderCode, address, messageHash }
      })
      if (termsVersion !== null) yield* states.acceptTerms(userId, termsVersion)
      const addressId = yield* random.uuidV4()
      yield* (
        addresses
          .add({ addressId, userId, network: "ARBITRUM_ONE", address, label: null, verified: true })
          // An address that its own wallet has verified is exempt from the limit.
          .pipe(Effect.catchTag("TooManyWithdrawalAddresses", Effect.die))
      )
      const { publicKey, secret } = yield* pair
      const replaced = yield* keys.replaceBuilderKey({
        publicKey,
        userId,
        label: `builder-${builder.username}`,
        secret,
        builderUserId: builder.userId
      })
      yield* audit.record({
        action: "builder_key_issued",
        actor: builder.userId,
        subject: userId,
        facts: { builderCode, address, publicKey }
      })
      return { key: { userId, publicKey, secretKey: secret }, replaced }
    },
    Effect.catchTags({
      WalletNonceUsed: () => Effect.fail(new WalletAuthenticationFailed({ fault: "reused" })),
      UnknownUser: Effect.die,
      ApiKeyExists: Effect.die
    }),
    transaction.run
  )
})

interface Proven {
  readonly address: string
  readonly agreementUrl: string
  readonly nonce: string
  readonly messageHash: string
  readonly issuedAtMillis: number
  readonly expiresAtMillis: number
}

/** Time for which a used nonce is kept after its message expires, in milliseconds. */
const graceMillis = 120_000
