/** Sign-in with a signed wallet message; the first sign-in creates the user. */
import { Audit } from "@venue/storage/access/Audit"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Identities } from "@venue/storage/access/Identities"
import { Transaction } from "@venue/postgres/Transaction"
import { UserStates } from "@venue/storage/access/UserStates"
import { WalletNonces } from "@venue/storage/access/WalletNonces"
import { Clock, Context, Effect, Layer, Result, Schema } from "effect"
import { type Issued, SessionTokens } from "../session/SessionTokens.ts"
import { objection, type SignInSite } from "./SignInSite.ts"
import * as WaitingRoom from "../access/WaitingRoom.ts"
import * as WalletFault from "./WalletFault.ts"
import * as WalletMessage from "./WalletMessage.ts"
import { isWellFormed, signerOf } from "./WalletSignature.ts"

/** The signed message as received from the caller. */
export interface Proof {
  readonly chain: string
  readonly message: string
  readonly signature: string
}

/** The sign-in is refused. For the reason `busy`, the caller can retry later. */
export class WalletRefused extends Schema.TaggedError<WalletRefused>()("WalletRefused", {
  reason: Schema.Literals([
    "disabled",
    "chain",
    "busy",
    "length",
    "signature_form",
    "message",
    "statement",
    "uri",
    "domain",
    "time",
    "signature",
    "reused",
    "frozen"
  ]),
  /** Text for the caller; omitted if the reason is sufficient. */
  detail: Schema.optionalKey(Schema.String)
}) {}

export interface WalletSignInOptions {
  readonly enabled: boolean
  readonly serviceName: string
  readonly sites: ReadonlyArray<SignInSite>
  /** Whether an address without its checksum is accepted. */
  readonly acceptLowercaseAddress?: boolean
}

export class WalletSignIn extends Context.Service<
  WalletSignIn,
  {
    /**
     * Signs a user in. Runs the cheap checks first and verifies the signature late. Only a correctly signed message
     * uses up its nonce.
     */
    readonly signIn: (proof: Proof) => Effect.Effect<Issued, WalletRefused | DatabaseUnavailable>
    /** Returns true while the queue is full, so that the next sign-in would be refused. */
    readonly isBusy: () => boolean
  }
>()("@venue/auth/wallet/WalletSignIn") {
  static readonly layer = (
    options: WalletSignInOptions
  ): Layer.Layer<WalletSignIn, never, Audit | Identities | SessionTokens | Transaction | UserStates | WalletNonces> =>
    Layer.effect(
      WalletSignIn,
      Effect.gen(function* () {
        const audit = yield* Audit
        const identities = yield* Identities
        const nonces = yield* WalletNonces
        const states = yield* UserStates
        const tokens = yield* SessionTokens
        const transaction = yield* Transaction
        const waitingRoom = WaitingRoom.make(maxWaiting)

        /** Atomic, so that the same message can be sent again after a failure. */
        const enter = Effect.fnUntraced(function* (message: WalletMessage.WalletMessage) {
          const { chainId: network, domain, issuedAtMillis, nonce, statement } = message
          const address = message.address.toLowerCase()
          const expiresAtMillis = issuedAtMillis + WalletMessage.maxAgeMillis + keptLongerMillis
          yield* nonces.use("signin", address, nonce, { issuedAtMillis, expiresAtMillis })
          const { isNew, userId } = yield* identities.arrive({ address, seen: { network, domain, statement } })
          const { frozen } = yield* states.find(userId)
          if (frozen) return yield* new WalletRefused({ reason: "frozen" })
          const issued = yield* tokens.begin({
            userId,
            clientId: null,
            publicClient: false,
            scope: null,
            method: "web3"
          })
          const { sessionId } = issued.session
          yield* audit.record({
            action: "signed_in",
            actor: userId,
            subject: userId,
            facts: { sessionId, address, isNew }
          })
          return issued
        }, transaction.run)

        return WalletSignIn.of({
          isBusy: waitingRoom.isFull,
          signIn: Effect.fn("WalletSignIn.signIn")(function* (proof: Proof) {
            yield* Effect.mapError(waitingRoom.wait, () => new WalletRefused({ reason: "busy" }))
            const proven = proofOf(proof, options, yield* Clock.currentTimeMillis)
            const message = yield* Effect.fromResult(proven)
            return yield* Effect.catchTag(enter(message), "WalletNonceUsed", () =>
              Effect.fail(new WalletRefused({ reason: "reused" }))
            )
          })
        })
      })
    )
}

/** Maximum number of waiting sign-ins. A full queue is processed within a few tens of milliseconds. */
const maxWaiting = 64

/** Time for which a nonce is kept after its message expires, in case a clock is set back. */
const keptLongerMillis = 120_000

const ascii = /^\p{ASCII}*$/u

/** Returns the message if its signature is valid and it was written for this venue and the current time. */
const proofOf = (
  { chain, message: text, signature }: Proof,
  { acceptLowercaseAddress, enabled, serviceName, sites }: WalletSignInOptions,
  nowMillis: number
): Result.Result<WalletMessage.WalletMessage, WalletRefused> => {
  if (!enabled) return refused("disabled")
  if (chain !== "ethereum") return refused("chain")
  const { glance, maxLength, minLength, read, untimely } = WalletMessage
  if (text.length < minLength || text.length > maxLength || !ascii.test(text)) {
    return refused("length", `The message must be ${minLength} to ${maxLength} ASCII characters`)
  }
  if (!isWellFormed(signature)) return refused("signature_form", "The signature must be 0x and 130 hex digits")
  const misfit = (claims: WalletMessage.Claims) => {
    const misnamed =
      claims.statement === `Sign in to ${serviceName}` ? objection(sites, claims) : ("statement" as const)
    if (misnamed !== undefined)
      return refused(misnamed, WalletFault.siteFault(misnamed, { serviceName, sites }, claims))
    const late = untimely(claims, nowMillis)
    return late === undefined ? undefined : refused("time", WalletFault.timeFault(late, nowMillis))
  }
  const claims = glance(text, { acceptLowercaseAddress })
  if (claims === undefined) return refused("message", WalletFault.textFault(text))
  const contradiction = misfit(claims)
  if (contradiction !== undefined) return contradiction
  if (signerOf(text, signature) !== claims.address.toLowerCase()) return refused("signature")
  // Parsing costs the most and comes last. If it disagrees with the quick look at the claims, the parser decides.
  const message = read(text, { acceptLowercaseAddress })
  if (Result.isFailure(message)) return refused("message", WalletFault.textFault(text))
  return misfit(message.success) ?? Result.succeed(message.success)
}

const refused = (reason: WalletRefused["reason"], detail?: string): Result.Result<never, WalletRefused> =>
  Result.fail(new WalletRefused({ reason, ...(detail !== undefined && { detail }) }))
