/** Requests that provoke each documented status of each treasury endpoint. */
import { maxBankAccounts } from "@venue/domain/BankAccount"
import { maxWebhooks } from "@venue/domain/Webhook"
import { DepositAddresses, maxDepositAddresses } from "@venue/storage/treasury/DepositAddresses"
import { maxWithdrawalAddresses, WithdrawalAddresses } from "@venue/storage/access/WithdrawalAddresses"
import { Effect } from "effect"
import { withoutCredentials, byKey, byKeyOf, inPerson, newcomer, type Provocation } from "../rest/contract/Scene.ts"
import { details } from "./Bank.ts"
import { addressAt } from "./Rails.ts"

const registered = { address: addressAt(0), network: "ARBITRUM_ONE" }
const wired = { amount: 50, currency: "usd", payment_rail: "wire" }
const endpoint = { url: "https://example.com/venue", events: ["deposit.credited"] }
const nothing = "00000000-0000-4000-8000-ffffffffffff"

export const provocations: Readonly<Record<string, Readonly<Record<number, Provocation>>>> = {
  "GET /health/live": { 200: withoutCredentials("GET", "/health/live") },
  "GET /health/ready": { 200: withoutCredentials("GET", "/health/ready") },

  "GET /address": { 200: byKey("GET", "/address"), 400: byKey("GET", "/address?network=BITCOIN") },
  "POST /address/rotate": {
    200: inPerson("POST", "/address/rotate", { network: "TRON" }),
    409: Effect.gen(function* () {
      const addresses = yield* DepositAddresses
      const user = yield* newcomer("rotating")
      for (let made = 0; made < maxDepositAddresses; made++) yield* addresses.rotate(user.userId, "TRON", addressAt)
      return yield* byKeyOf(user, "POST", "/address/rotate", { network: "TRON" })
    })
  },

  "GET /webhooks": { 200: byKey("GET", "/webhooks") },
  "POST /webhooks": {
    201: byKey("POST", "/webhooks", endpoint),
    400: byKey("POST", "/webhooks", { url: "https://user:canary@example.com" }),
    409: Effect.gen(function* () {
      const user = yield* newcomer("listening")
      const create = byKeyOf(user, "POST", "/webhooks", endpoint)
      for (let made = 0; made < maxWebhooks; made++) yield* create
      return yield* create
    })
  },
  "DELETE /webhooks/{id}": {
    204: Effect.gen(function* () {
      const user = yield* newcomer("deaf")
      const { body } = yield* byKeyOf(user, "POST", "/webhooks", endpoint)
      return yield* byKeyOf(user, "DELETE", `/webhooks/${body.id.toUpperCase()}`)
    }),
    404: byKey("DELETE", `/webhooks/${nothing}`)
  },

  "GET /withdrawal-addresses": { 200: byKey("GET", "/withdrawal-addresses") },
  "POST /withdrawal-addresses": {
    201: byKey("POST", "/withdrawal-addresses", { ...registered, address: addressAt(1), label: "second" }),
    200: Effect.andThen(
      byKey("POST", "/withdrawal-addresses", registered),
      inPerson("POST", "/withdrawal-addresses", registered)
    ),
    409: Effect.gen(function* () {
      const addresses = yield* WithdrawalAddresses
      const { userId, ...user } = yield* newcomer("gathering")
      for (let made = 0; made < maxWithdrawalAddresses; made++) {
        const address = { addressId: `${userId} ${made}`, userId, network: "TRON", address: `${made}` } as const
        yield* addresses.add({ ...address, label: null, verified: false })
      }
      return yield* byKeyOf({ userId, ...user }, "POST", "/withdrawal-addresses", registered)
    })
  },
  "DELETE /withdrawal-addresses/{id}": {
    204: Effect.gen(function* () {
      const user = yield* newcomer("removing")
      const { body } = yield* byKeyOf(user, "POST", "/withdrawal-addresses", registered)
      return yield* byKeyOf(user, "DELETE", `/withdrawal-addresses/${body.id.toUpperCase()}`)
    }),
    404: byKey("DELETE", `/withdrawal-addresses/${nothing}`)
  },

  "GET /fiat-address": {
    200: byKey("GET", "/fiat-address?currency=usd&payment_rail=fednow"),
    400: byKey("GET", "/fiat-address?currency=usd")
  },
  "POST /bank-account": {
    201: byKey("POST", "/bank-account?currency=usd", details),
    409: Effect.gen(function* () {
      const user = yield* newcomer("linking")
      const link = byKeyOf(user, "POST", "/bank-account?currency=usd", details)
      for (let made = 0; made < maxBankAccounts; made++) yield* link
      return yield* link
    })
  },
  "DELETE /bank-account/{id}": {
    204: Effect.gen(function* () {
      const { body } = yield* byKey("POST", "/bank-account?currency=usd", details)
      return yield* inPerson("DELETE", `/bank-account/${body.id}`)
    }),
    404: byKey("DELETE", `/bank-account/${nothing}`),
    409: Effect.gen(function* () {
      const { body } = yield* byKey("POST", "/bank-account?currency=usd", details)
      yield* byKey("POST", "/fiat-withdraw", { ...wired, account_id: body.id })
      return yield* byKey("DELETE", `/bank-account/${body.id}`)
    })
  },

  "POST /withdraw": { 200: byKey("POST", "/withdraw", { amount: 5, address: addressAt(0) }) },
  "POST /fiat-withdraw": {
    200: Effect.gen(function* () {
      const user = yield* newcomer("wiring", 1_000)
      const { body } = yield* byKeyOf(user, "POST", "/bank-account?currency=usd", details)
      return yield* byKeyOf(user, "POST", "/fiat-withdraw", { ...wired, account_id: body.id })
    }),
    404: byKey("POST", "/fiat-withdraw", { ...wired, account_id: nothing })
  },
  "GET /withdrawals": {
    200: Effect.andThen(
      byKey("POST", "/withdraw", { amount: 6, address: addressAt(0) }),
      byKey("GET", "/withdrawals?limit=10")
    ),
    400: byKey("GET", "/withdrawals?offset=100001")
  },
  "GET /deposits": { 200: byKey("GET", "/deposits"), 400: byKey("GET", "/deposits?offset=100001") }
}
