/** Holder of the keys for outgoing money. Other components submit orders and receive signed bytes or a refusal. */
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { hiding, refusalOf, statusReason, textOf, whyOf } from "../HttpAnswer.ts"
import * as DepositAddresses from "./arbitrum/DepositAddresses.ts"
import * as Transactions from "./arbitrum/Transactions.ts"
import * as TronTransaction from "./tron/TronTransaction.ts"
import { SigningOrder } from "./SigningOrder.ts"

/** The order is refused, and the signer will refuse every repeat. */
export class SignerRefused extends Schema.TaggedError<SignerRefused>()("SignerRefused", { reason: Schema.String }) {}

/** The signer is unreachable or broke the protocol. `reason` holds no secrets. */
export class SignerUnavailable extends Schema.TaggedError<SignerUnavailable>()("SignerUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `signer unavailable: ${this.reason}`
  }
}

export const Accounts = Schema.Struct({
  /** Pays withdrawals on Arbitrum One and receives sweeps; absent without keys for that chain. */
  hot: Schema.optionalKey(Schema.String),
  /** Pays the gas of sweeps. */
  gasPayer: Schema.optionalKey(Schema.String),
  /** Pays withdrawals on TRON; absent without a key for that chain. */
  tron: Schema.optionalKey(Schema.String)
})
export type Accounts = typeof Accounts.Type

/** Wallet responses: a signed order or a refusal. */
export const SignedAnswer = Schema.Struct({ bytes: Schema.String.check(Schema.isPattern(/^0x([0-9a-f]{2})+$/)) })
export const RefusedAnswer = Schema.Struct({ reason: Schema.String })

export class Signer extends Context.Service<
  Signer,
  {
    readonly accounts: Effect.Effect<Accounts, SignerUnavailable>
    /** Signed bytes are worth money, so logs never show them. */
    readonly sign: (order: SigningOrder) => Effect.Effect<Redacted.Redacted, SignerRefused | SignerUnavailable>
  }
>()("@venue/providers/Signer") {
  /** Keys in this process, which sign every order. For development only. */
  static readonly layerLocal = (
    keys: Transactions.Keys | undefined,
    tron?: TronTransaction.TronKey
  ): Layer.Layer<Signer> =>
    Layer.succeed(Signer, {
      accounts: Effect.succeed({
        ...(keys === undefined ? {} : accountsOf(keys)),
        ...(tron === undefined ? {} : { tron: tron.address })
      }),
      sign: Effect.fn("Signer.sign")(function* (order: SigningOrder) {
        if (order._tag !== "TronPayment") {
          if (keys === undefined)
            return yield* new SignerRefused({ reason: "this signer has no keys for Arbitrum One" })
          return Redacted.make<string>(yield* Transactions.sign(keys, order))
        }
        if (tron === undefined) return yield* new SignerRefused({ reason: "this signer has no key for TRON" })
        return Redacted.make(TronTransaction.signedBy(tron, order))
      })
    })

  /** Client of a wallet such as `apps/wallet`: `GET <url>/accounts` and `POST <url>/sign` with a bearer secret. */
  static readonly layer = (options: {
    readonly url: string
    readonly secret: Redacted.Redacted
  }): Layer.Layer<Signer, never, HttpClient.HttpClient> =>
    Layer.effect(
      Signer,
      Effect.map(HttpClient.HttpClient, (client) => {
        const hide = hiding(options.url, Redacted.value(options.secret))
        const unexpected = ({ status, text }: { readonly status: number; readonly text: string }) =>
          new SignerUnavailable({
            reason:
              status === 401
                ? "the wallet rejected the venue's secret"
                : status === 200
                  ? "the wallet returned status 200 with an unexpected body"
                  : statusReason(status, refusalOf(text, hide))
          })
        const ask = (request: HttpClientRequest.HttpClientRequest) =>
          client.execute(HttpClientRequest.bearerToken(request, options.secret)).pipe(
            Effect.flatMap((response) =>
              Effect.map(textOf(response, maxBytes), (text) => ({ status: response.status, text }))
            ),
            Effect.timeout(deadline),
            Effect.mapError((error) => new SignerUnavailable({ reason: hide(whyOf(error)) }))
          )
        return Signer.of({
          accounts: Effect.gen(function* () {
            const answer = yield* ask(HttpClientRequest.get(`${options.url}/accounts`))
            if (answer.status !== 200) return yield* unexpected(answer)
            return yield* Effect.mapError(decodeAccounts(answer.text), () => unexpected(answer))
          }).pipe(Effect.withSpan("Signer.accounts")),
          sign: Effect.fn("Signer.sign")(function* (order: SigningOrder) {
            const request = HttpClientRequest.post(`${options.url}/sign`)
            const body = HttpClientRequest.bodyText(request, encodeOrder(order), "application/json")
            const answer = yield* ask(body)
            if (refusedStatuses.has(answer.status)) {
              const { reason } = yield* Effect.mapError(decodeRefused(answer.text), () => unexpected(answer))
              return yield* new SignerRefused({ reason: hide(reason) })
            }
            if (answer.status !== 200) return yield* unexpected(answer)
            const { bytes } = yield* Effect.mapError(decodeSigned(answer.text), () => unexpected(answer))
            return Redacted.make(bytes)
          })
        })
      })
    )
}

const accountsOf = ({ deposits, hot }: Transactions.Keys) => ({
  hot: hot.address,
  gasPayer: DepositAddresses.addressOf(deposits.deriveChild(DepositAddresses.gasPayerIndex))
})

const encodeOrder = Schema.encodeSync(Schema.fromJsonString(SigningOrder))
const decodeAccounts = Schema.decodeUnknownEffect(Schema.fromJsonString(Accounts))
const decodeSigned = Schema.decodeUnknownEffect(Schema.fromJsonString(SignedAnswer))
const decodeRefused = Schema.decodeUnknownEffect(Schema.fromJsonString(RefusedAnswer))

/** Statuses with which a wallet, or a proxy that keeps the wallet's body, refuses an order permanently. */
const refusedStatuses: ReadonlySet<number> = new Set([400, 409, 422])

const maxBytes = 65_536
const deadline = "10 seconds"
