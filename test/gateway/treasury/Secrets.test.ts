/** Test that searches every output for treasury secrets, whatever the result of each request. */
import { UserId } from "@venue/domain/UserId"
import { calm } from "@venue/simulation/bank/BankSimulator"
import { Signer } from "@venue/providers/rails/Signer"
import * as StandardWebhook from "@venue/providers/StandardWebhook"
import { Profiles } from "@venue/storage/access/Profiles"
import { RailStates } from "@venue/storage/treasury/RailStates"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Cause, Clock, Config, ConfigProvider, Effect, Exit, Layer, Queue, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { inspect } from "node:util"
import * as ArbitrumSettings from "../../../apps/process/ArbitrumSettings.ts"
import * as BankSettings from "../../../apps/process/BankSettings.ts"
import * as Rails from "../../../apps/process/Rails.ts"
import * as StartFailure from "../../../apps/process/StartFailure.ts"
import * as TronSettings from "../../../apps/process/TronSettings.ts"
import { isIn } from "../../Observed.ts"
import { dump } from "../../Postgres.ts"
import * as TestRail from "../../providers/rails/arbitrum/TestRail.ts"
import { bankKey, BankUnderTest } from "../../providers/rails/bank/BankServer.ts"
import { receiver, status } from "../../providers/webhooks/Receiver.ts"
import { payment } from "../../apps/wallet/Orders.ts"
import * as TestWallet from "../../apps/wallet/TestWallet.ts"
import { tronKeyText, tronPayment } from "../../apps/wallet/TronOrders.ts"
import { adminToken, type Answer, ask, call, RestClient } from "../rest/RestClient.ts"
import { bankWebhookSecret, layer, observed, sealKey } from "./SecretVenue.ts"

const details = {
  first_name: "Canaryfirst",
  last_name: "Canarylast",
  routing_number: "021000021",
  bank_name: "Canarybank",
  account_number: "90817263544536271",
  type: "checking",
  street_line_1: "77 Canarystreet",
  street_line_2: "Canaryfloor",
  country: "USA",
  state: "Massachusetts",
  city: "Canarycity",
  postal_code: "CANARY77"
}

const known: Readonly<Record<string, string>> = {
  firstName: details.first_name,
  lastName: details.last_name,
  routingNumber: details.routing_number,
  otherRoutingNumber: "121000021",
  bankName: details.bank_name,
  accountNumber: details.account_number,
  endOfAccountNumber: details.account_number.slice(-7),
  street: "Canarystreet",
  floor: details.street_line_2,
  state: details.state,
  city: details.city,
  postalCode: details.postal_code,
  unknownMember: "Canaryvalue",
  hotKey: TestRail.hotKey.slice(2),
  extendedKey: TestRail.xprv,
  otherExtendedKey: TestRail.otherXprv,
  tronKey: tronKeyText,
  walletSecret: TestWallet.secret,
  bankKey,
  bankWebhookSecret: Redacted.value(bankWebhookSecret),
  endOfBankWebhookSecret: Redacted.value(bankWebhookSecret).slice(6),
  adminToken,
  sealKey
}

it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })("treasury secrets", (it) => {
  const answers: Array<Answer> = []
  /** Output of processes that fail to start, and URLs of requests to other servers. */
  const outputs: Array<string> = []
  /** Secrets by name, each with the only response that is allowed to contain it. */
  const issued = new Map<string, readonly [text: string, by: Answer]>()
  const kept = <E, R>(answer: Effect.Effect<Answer, E, R>) =>
    Effect.tap(answer, (received) => Effect.sync(() => answers.push(received)))

  const until = <A, E, R>(look: Effect.Effect<A, E, R>, is: (found: A) => boolean) =>
    Effect.repeat(look, { until: is, schedule: Schedule.spaced("50 millis") })

  /** Creates bank accounts, payouts that fail in every way, and a webhook endpoint that accepts nothing. */
  const money = Effect.gen(function* () {
    const { signed } = yield* RestClient
    const { simulator } = yield* BankUnderTest
    const operate = yield* operator
    const user = yield* (yield* TestVenue).user("holder", 10_000)
    const byKey = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
      return yield* kept(ask(method, path, yield* signed(user), body))
    })

    const users = yield* receiver(status(500))
    const made = yield* byKey("POST", "/webhooks", { url: `http://127.0.0.1:${users.port}/told` })
    const { id: webhookId, secret } = made.body
    issued.set("webhook secret", [secret, made])
    issued.set("end of the webhook secret", [secret.slice(6), made])
    expect((yield* byKey("POST", "/webhooks", { url: `https://${secret.slice(6)}@example.com` })).status).toBe(400)
    expect((yield* byKey("POST", "/webhooks", { url: "https://example.com", secret })).status).toBe(422)

    const link = (change: object = {}) => byKey("POST", "/bank-account?currency=usd", { ...details, ...change })
    const linked = yield* link()
    expect(linked.status).toBe(201)
    const account_id: string = linked.body.id
    const payout = Effect.fnUntraced(function* (word: "approve" | "reject") {
      const body = { amount: 100, currency: "usd", payment_rail: "wire", account_id }
      expect((yield* byKey("POST", "/fiat-withdraw", body)).status).toBe(200)
      const withdrawal_id: string = (yield* byKey("GET", "/withdrawals")).body.data[0].id
      yield* operate("POST", `/withdrawals/${word}`, { withdrawal_id, reason: "a test" })
      return withdrawal_id
    })
    const comesTo = (id: string, state: string) =>
      until(byKey("GET", "/withdrawals"), ({ body }) =>
        body.data.some((row: { id: string; status: string }) => row.id === id && row.status === state)
      )
    yield* simulator.behave({ ...calm, settle_after_seconds: 0, payouts_fail_with: "account_closed" })
    yield* comesTo(yield* payout("approve"), "FAILED")
    yield* comesTo(yield* payout("reject"), "REJECTED")
    yield* simulator.behave({ ...calm, failure: "malformed" })
    yield* until((yield* RailStates).find("BANK"), ({ unavailableSinceMillis }) => unavailableSinceMillis !== null)
    const last = yield* payout("approve")
    yield* simulator.behave({ ...calm, settle_after_seconds: 0 })
    yield* comesTo(last, "SETTLED")
    // All account numbers have reached the bank.
    expect((yield* simulator.payouts).map(({ request }) => request.payee.account_number)).toEqual([
      details.account_number,
      details.account_number
    ])
    yield* until(byKey("GET", "/webhooks"), ({ body }) =>
      body.data[0].deliveries.some(({ attempt }: { attempt: number }) => attempt === 2)
    )
    outputs.push(...(yield* Queue.takeAll(users.heard)).map(({ url }) => url))
    expect((yield* byKey("DELETE", `/webhooks/${webhookId}`)).status).toBe(204)

    yield* (yield* Profiles).change(UserId.make(user.userId), { firstName: "Somebody", lastName: "Else" })
    const refused = [
      [{}, 400],
      [{ routing_number: "121000021" }, 400],
      [{ account_number: "9081726354453627190817263544" }, 400],
      [{ account_number: 90817263544536270 }, 422],
      [{ bank_name: [details.bank_name] }, 422],
      [{ Canarymember: "Canaryvalue" }, 422]
    ] as const
    for (const [change, status] of refused) expect([change, (yield* link(change)).status]).toEqual([change, status])
    yield* (yield* Profiles).change(UserId.make(user.userId), { firstName: null, lastName: null })
    const sql = yield* SqlClient.SqlClient
    yield* sql`alter table bank_account rename to hidden`
    expect((yield* link()).status).toBe(504)
    yield* sql`alter table hidden rename to bank_account`
    expect((yield* byKey("DELETE", `/bank-account/${account_id}`)).status).toBe(204)
  })

  /** Returns the requests of an appointed operator; `dismissed` dismisses the operator. */
  const operator = Effect.gen(function* () {
    const { admin } = yield* RestClient
    const appointed = yield* kept(admin("POST", "/operators", { name: "teo", roles: ["treasurer"], reason: "a test" }))
    const { token } = appointed.body
    issued.set("operator's token", [token, appointed])
    expect((yield* kept(admin("GET", "/operators"))).status).toBe(200)
    expect((yield* kept(admin("POST", "/operators", { name: token, roles: [], reason: "" }))).status).toBe(422)
    expect((yield* kept(admin("POST", "/operators/dismiss", { name: "teo" }, token))).status).toBe(403)
    expect((yield* kept(admin("GET", "/operators", undefined, `${token}x`))).status).toBe(401)
    return (method: string, path: string, body: object) => kept(admin(method, path, body, token))
  })

  const bankWebhooks = Effect.gen(function* () {
    const { restUrl } = yield* RestClient
    const now = yield* Clock.currentTimeMillis
    const body = '{"type":"credits.changed"}'
    const post = (headers: Record<string, string>, text: string) =>
      kept(
        call(`${restUrl}/provider/bank`, {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          body: text
        })
      )
    const signed = StandardWebhook.sign(bankWebhookSecret, "m-1", body, now)
    expect((yield* post({ ...signed }, body)).status).toBe(204)
    expect((yield* post({ ...signed }, `${body} `)).status).toBe(401)
    expect((yield* post({}, body)).status).toBe(401)
  })

  const walletSigns = Effect.gen(function* () {
    const { url } = yield* Effect.flatMap(TestWallet.options(), TestWallet.open)
    const now = yield* Clock.currentTimeMillis
    const sign = (order: Parameters<Signer["Service"]["sign"]>[0], secret?: string) =>
      Effect.flatMap(Signer, (signer) => Effect.exit(signer.sign(order))).pipe(
        Effect.provide(TestWallet.signerAt(url, secret))
      )
    const exits = [
      yield* sign(payment()),
      yield* sign(tronPayment(now, { withdrawalId: "withdrawal-2" })),
      yield* sign(payment({ nonce: 5 })),
      yield* sign(payment(), "another-secret-of-enough-characters")
    ]
    expect(exits.map(Exit.isSuccess)).toEqual([true, true, false, false])
    outputs.push(...exits.map((exit) => inspect(exit, { depth: null })))
    const authorization = `Bearer ${TestWallet.secret}`
    for (const body of ["{}", "x".repeat(20_000), JSON.stringify({ _tag: TestRail.hotKey })]) {
      expect((yield* kept(call(`${url}/sign`, { method: "POST", headers: { authorization }, body }))).status).toBe(422)
    }
    expect((yield* kept(call(`${url}/accounts`, { headers: { authorization } }))).status).toBe(200)
    expect((yield* kept(call(`${url}/accounts`))).status).toBe(401)
  })

  /** Output of a process whose start fails because of its settings. */
  const startEnds = Effect.gen(function* () {
    const chain = { VENUE_ARBITRUM_RPC_URLS: "http://127.0.0.1:9", VENUE_ARBITRUM_XPUB: TestRail.xpub }
    const keys = { VENUE_WALLET_HOT_KEY: TestRail.hotKey, VENUE_WALLET_XPRV: TestRail.xprv }
    const wallet = { VENUE_WALLET_URL: "http://127.0.0.1:9", VENUE_WALLET_SECRET: TestWallet.secret }
    const bank = { VENUE_BANK_URL: "http://127.0.0.1:9", VENUE_BANK_KEY: bankKey }
    const tron = { VENUE_TRON_NODE_URLS: "http://127.0.0.1:9", VENUE_TRON_XPUB: TestRail.xpub }
    const wrong: ReadonlyArray<Record<string, string>> = [
      { ...chain, ...keys, VENUE_WALLET_HOT_KEY: `${TestRail.hotKey}0` },
      { ...chain, ...keys, VENUE_WALLET_XPRV: TestRail.otherXprv },
      { ...chain, ...keys, ...wallet },
      { ...chain, ...wallet, VENUE_WALLET_URL: TestWallet.secret },
      { ...tron, VENUE_WALLET_TRON_KEY: `${tronKeyText}0` },
      { ...bank, VENUE_BANK_URL: `https://bank.example?key=${bankKey}` },
      { ...bank, VENUE_BANK_WEBHOOK_SECRET: Redacted.value(bankWebhookSecret).slice(6) }
    ]
    for (const variables of wrong) {
      const started = Effect.gen(function* () {
        const settings = yield* Config.all({
          arbitrum: ArbitrumSettings.all,
          tron: TronSettings.all,
          bank: BankSettings.all
        })
        yield* Layer.build(Rails.layer(settings))
        yield* BankSettings.webhookSecretOf(settings.bank)
      }).pipe(Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(variables)))
      const exit = yield* Effect.exit(started)
      if (!Exit.isFailure(exit)) throw new Error(`it starts with ${Object.keys(variables).join()}`)
      yield* Effect.logError("the start ended", exit.cause)
      outputs.push(...StartFailure.linesOf(exit.cause), Cause.pretty(exit.cause), inspect(exit, { depth: null }))
    }
  })

  it.effect("I46: a secret appears only in the response that issues it", () =>
    Effect.gen(function* () {
      for (const part of [money, bankWebhooks, walletSigns, startEnds]) yield* part
      const places = {
        log: observed.log(),
        traced: observed.traced(),
        stored: yield* dump,
        outputs: outputs.join("\n")
      }

      // The searched texts contain the expected content.
      for (const words of ["refused to sign", "the start ended", "/fiat-withdraw"]) expect(places.log).toContain(words)
      for (const words of ["/payouts/", "Bank.scan"]) expect(places.traced).toContain(words)
      for (const words of ["account_closed", "****6271", "webhook_created", "teo"])
        expect(places.stored).toContain(words)
      expect(places.outputs).toContain("VENUE_WALLET_HOT_KEY")
      expect(places.outputs).toContain("/told")

      const secrets = [...Object.entries(known).map(([name, text]) => [name, [text, undefined]] as const), ...issued]
      for (const [name, [text, by]] of secrets) {
        const found = Object.entries(places).filter(([, place]) => isIn(place, text))
        expect([name, found.map(([place]) => place)]).toEqual([name, []])
        for (const answer of answers) {
          const shown = JSON.stringify([...answer.headers]) + (answer === by ? "" : answer.text)
          expect([name, answer.status, isIn(shown, text)]).toEqual([name, answer.status, false])
        }
      }
    }).pipe(Effect.scoped)
  )
})
