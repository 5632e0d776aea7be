/**
 * Registration of wallets by builders: the backend of a builder exchanges a signed message for a key of the wallet's
 * user.
 */
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

/** A builder, who may obtain keys of other users. */
export interface Builder {
  readonly userId: UserId
  readonly builderCode: string
  readonly username: string
}

export interface IssuedKey {
  /** The wallet's user; also the id of their main account. */
  readonly userId: UserId
  readonly publicKey: string
  readonly secretKey: Redacted.Redacted
}

/** A member of the request is invalid; `member` is its name on the wire. */
export class UnfitForMessage extends Schema.TaggedError<UnfitForMessage>()("UnfitForMessage", {
  member: Schema.Literals(["address", "builder_code"])
}) {}

export class NoActiveBuilderCode extends Schema.TaggedError<NoActiveBuilderCode>()("NoActiveBuilderCode", {
  userId: UserId
}) {}

/** A builder without a username has no label for keys. */
export class BuilderUnnamed extends Schema.TaggedError<BuilderUnnamed>()("BuilderUnnamed", { userId: UserId }) {}

/** The text alone shows that it is no message for this builder. `fault` is for logs. */
export class MalformedBuilderMessage extends Schema.TaggedError<MalformedBuilderMessage>()("MalformedBuilderMessage", {
  fault: Schema.String
}) {}

/** One refusal for all causes of trust, time and state. `fault` is for logs and never sent. */
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
    /** Returns a new message for a wallet to sign. The builder code is not looked up, and nothing is written. */
    readonly message: (address: string, builderCode: string) => Effect.Effect<string, UnfitForMessage>
    readonly builder: (
      userId: UserId
    ) => Effect.Effect<Builder, NoActiveBuilderCode | BuilderUnnamed | DatabaseUnavailable>
    /**
     * Returns this builder's key for the wallet's user. It replaces the previous key, which is rejected here at once
     * and on other nodes after a revocation. Atomic; after `DatabaseUnavailable` it may have happened.
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
    // Cheap checks come first: verifying a signature is expensive, and only proven requests reach the database.
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
        expiresAtMillis: read.message.issuedAtMillis + maxAgeMillis + graceMillis
      })
      // After the commit; earlier, the previous key would be cached again.
      if (Option.isSome(replaced)) hmac.forget(replaced.value)
      eligibilities.forget(key.userId)
      return key
    })
  })
})

/** Issues the key of a proven wallet with everything that belongs to it, in one transaction. */
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
      const { address, agreementUrl, expiresAtMillis, messageHash, nonce } = proven
      const { builderCode } = builder
      yield* nonces.use("builder", address, nonce, expiresAtMillis)
      const { userId } = yield* identities.arrive({ address, seen: null })
      yield* users.lock(userId)
      if ((yield* states.find(userId)).frozen) return yield* new WalletAuthenticationFailed({ fault: "frozen" })
      // A message from before a change of the agreement is valid, but accepts the text of that time.
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
          // An address verified by its own wallet is exempt from the limit.
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

/** Result of a verified signature. */
interface Proven {
  readonly address: string
  readonly agreementUrl: string
  readonly nonce: string
  readonly messageHash: string
  readonly expiresAtMillis: number
}

/** How much longer a used nonce is kept than its message is valid, in milliseconds. */
const graceMillis = 120_000
