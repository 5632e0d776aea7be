/** Tests that alarms quote a bank's or wallet's refusal without secrets and without the payee. */
import * as Bank from "@venue/providers/rails/bank/Bank"
import { Signer } from "@venue/providers/rails/Signer"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import * as PriceServer from "../prices/PriceServer.ts"

const key = "canary-of-a-key"

const answering = (status: number, body: (sent: string) => string) =>
  PriceServer.http((request, response) => {
    let sent = ""
    request.on("data", (chunk) => (sent += chunk))
    request.on("end", () => response.writeHead(status).end(body(sent)))
  })

const payee = {
  first_name: "Amelia",
  last_name: "Pond",
  routing_number: "021000021",
  bank_name: "Bank of Leadworth",
  account_number: "123456789",
  type: "checking",
  street_line_1: "1 Village Green",
  country: "USA",
  state: "NY",
  city: "Leadworth",
  postal_code: "10001"
}

it.live("I46: quotes a bank's refusal message, but omits the key and the payee that the message repeats", () =>
  Effect.gen(function* () {
    const url = yield* answering(422, (sent) => JSON.stringify({ detail: `wire is closed today for ${key}: ${sent}` }))
    const rail = yield* Bank.make({ url, key: Redacted.make(key) }).pipe(Effect.provide(FetchHttpClient.layer))
    const payment = yield* rail.sign({
      withdrawalId: "w-1",
      destination: Redacted.make(JSON.stringify(payee)),
      amount: 475_000_000n,
      paymentRail: "wire",
      sequence: 1,
      purpose: "pay",
      previous: []
    })
    const cause = String((yield* Effect.flip(rail.send(payment))).cause)
    assert.match(
      cause,
      /the server returned status 422: … is closed today for …|the server returned status 422: wire is closed today/
    )
    for (const secret of [key, ...Object.values(payee).filter((value) => value.length > 2)])
      assert.notInclude(cause, secret)
  }).pipe(Effect.scoped)
)

const order = {
  _tag: "ArbitrumCancel",
  withdrawalId: "w-1",
  chainId: 42_161,
  token: `0x${"12".repeat(20)}`,
  nonce: 0,
  gas: 21_000n,
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 1n
} as const

const signing = (status: number, body: object) =>
  Effect.gen(function* () {
    const url = yield* answering(status, () => JSON.stringify(body))
    const layer = Signer.layer({ url, secret: Redacted.make(key) }).pipe(Layer.provide(FetchHttpClient.layer))
    return yield* Effect.flip(Effect.flatMap(Signer, (signer) => signer.sign(order)).pipe(Effect.provide(layer)))
  }).pipe(Effect.scoped)

for (const status of [400, 409, 422])
  it.live(`treats a response with status ${status} and a reason as a refusal by the wallet`, () =>
    Effect.gen(function* () {
      const refused = yield* signing(status, { reason: `above the day's limit, ${key}` })
      assert.deepInclude(refused, { _tag: "SignerRefused", reason: "above the day's limit, …" })
    })
  )

it.live("reports a wallet that cannot currently sign as unavailable, and quotes the wallet's message", () =>
  Effect.gen(function* () {
    const refused = yield* signing(503, { reason: "the record cannot be written" })
    assert.deepInclude(refused, {
      _tag: "SignerUnavailable",
      reason: "the server returned status 503: the record cannot be written"
    })
  })
)
