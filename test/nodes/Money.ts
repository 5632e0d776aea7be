/** A user's deposits, withdrawal and webhooks before and after the venue is killed. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Webhook } from "standardwebhooks"
import { expect, onTestFinished } from "vitest"
import * as DevApp from "./DevApp.ts"
import * as Operator from "./Operator.ts"
import * as TradeSocket from "./TradeSocket.ts"

interface Delivery {
  readonly id: string
  readonly type: string
  /** Id of the deposit or withdrawal. */
  readonly subject: string
  readonly wasTaken: boolean
}

export interface Money {
  readonly user: DevApp.User
  /** Starts accepting messages. Until then, the endpoint responds to each message's first attempt with 503. */
  readonly take: () => void
  readonly deliveries: ReadonlyArray<Delivery>
  readonly deposits: { readonly bank: string; readonly chain: string }
}

const ask = async ({ brand, urls }: DevApp.DevFile, user: DevApp.User, method: string, path: string, body?: object) => {
  const { nonce, public_key, signature, unix_ts } = TradeSocket.signed(user)
  const answer = await fetch(`${urls.funding}${path}`, {
    method,
    headers: {
      [`x-${brand}-public-key`]: public_key,
      [`x-${brand}-nonce`]: nonce,
      [`x-${brand}-timestamp`]: String(unix_ts),
      [`x-${brand}-hmac-signature`]: signature,
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await answer.text()
  return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) }
}

/** Starts the user's webhook endpoint, which verifies each message with the Standard Webhooks library. */
const endpoint = async () => {
  const deliveries: Array<Delivery> = []
  let [secret, takes] = ["", false]
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (bytes) => (body += bytes))
    request.on("end", () => {
      const headers = request.headers as Record<string, string>
      const { data, type } = new Webhook(secret).verify(body, headers) as { type: string; data: { id: string } }
      const id = headers["webhook-id"]!
      // Accepts the second attempt, because the third would follow one minute later.
      const wasTaken = takes || deliveries.some((delivery) => delivery.id === id)
      deliveries.push({ id, type, subject: data.id, wasTaken })
      response.writeHead(wasTaken ? 204 : 503).end()
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  onTestFinished(() => void (server.close(), server.closeAllConnections()))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/money`
  return { url, deliveries, take: () => (takes = true), know: (known: string) => (secret = known) }
}

/** Expects that withdrawals are open, as on a venue that is ready and audited, and makes one withdrawal. */
export const expectOpen = async (file: DevApp.DevFile, user: DevApp.User): Promise<void> => {
  const mode = await Operator.of(file)("GET", "/venue-mode")
  expect(mode).toMatchObject({ trading: "TRADING", withdrawals: "OPEN", reason: "" })
  const withdrawal = { amount: 100, address: "0x52908400098527886E0F7030069857D2E4169EE7" }
  expect((await ask(file, user, "POST", "/withdraw", withdrawal)).status).toBe(200)
}

/** Expects that withdrawals are blocked, as on a venue without an auditor. */
export const expectNotAudited = async (file: DevApp.DevFile, user: DevApp.User): Promise<void> => {
  const mode = await Operator.of(file)("GET", "/venue-mode")
  expect(mode).toMatchObject({ trading: "TRADING", withdrawals: "BLOCKED", audited_at: null })
  expect((mode as { readonly reason: string }).reason).toContain("not audited yet")
  const withdrawal = { amount: 100, address: "0x52908400098527886E0F7030069857D2E4169EE7" }
  expect(await ask(file, user, "POST", "/withdraw", withdrawal)).toMatchObject({
    status: 503,
    body: { type: expect.stringContaining("withdrawals-blocked") }
  })
}

/** Starts a deposit on a chain, a credited bank deposit and a withdrawal, while the endpoint accepts no message. */
export const begin = async (file: DevApp.DevFile, user: DevApp.User): Promise<Money> => {
  const { know, take, deliveries, url } = await endpoint()
  const made = await ask(file, user, "POST", "/webhooks", { url })
  expect(made.status).toBe(201)
  know(made.body.secret)
  const { body: address } = await ask(file, user, "GET", "/address")
  const { body: bank } = await ask(file, user, "GET", "/fiat-address?currency=usd&payment_rail=wire")
  const pay = async (rail: string, sent_to: string, amount: number, how: object = {}) => {
    const paid = await Operator.of(file)("POST", "/simulated-rails/deposit", { rail, sent_to, amount, ...how })
    return `${rail}/${(paid as { tx_hash: string }).tx_hash}/0`
  }
  const deposits = {
    chain: await pay("ARBITRUM_ONE", address.address, 40),
    bank: await pay("BANK", bank.deposit_message, 500, { payment_rail: "wire" })
  }
  await expectOpen(file, user)
  await DevApp.until("both are told", () =>
    ["deposit.credited", "withdrawal.accepted"].every((type) => isDelivered(deliveries, type))
  )
  const seen = await ask(file, user, "GET", "/deposits")
  expect(statuses(seen.body.data)).toEqual({ [deposits.chain]: "DETECTED", [deposits.bank]: "CREDITED" })
  return { user, take, deliveries, deposits }
}

/**
 * Expects that the next start completes all three operations and delivers every message, with unchanged ids for
 * repeats.
 */
export const end = async (file: DevApp.DevFile, { deposits, take, deliveries, user }: Money): Promise<void> => {
  take()
  const { data } = (await ask(file, user, "GET", "/withdrawals")).body
  const expected = [
    ...Object.values(deposits).map((subject) => `deposit.credited ${subject}`),
    ...["accepted", "queued", "submitted", "settled"].map((state) => `withdrawal.${state} ${data[0].id}`)
  ]
  const taken = () => [
    ...new Set(deliveries.flatMap((delivery) => (delivery.wasTaken ? [`${delivery.type} ${delivery.subject}`] : [])))
  ]
  await DevApp.until("all is told", () => taken().length >= expected.length)
  expect(taken().toSorted()).toEqual(expected.toSorted())
  const names = new Map(deliveries.map((delivery) => [delivery.id, `${delivery.type} ${delivery.subject}`]))
  expect([...names.values()].toSorted()).toEqual(expected.toSorted())
  expect(statuses((await ask(file, user, "GET", "/deposits")).body.data)).toEqual({
    [deposits.chain]: "CREDITED",
    [deposits.bank]: "CREDITED"
  })
  const after = (await ask(file, user, "GET", "/withdrawals")).body
  expect([after.count, after.data[0].status]).toEqual([1, "SETTLED"])
}

const isDelivered = (deliveries: ReadonlyArray<Delivery>, type: string): boolean =>
  deliveries.some((delivery) => delivery.type === type)

const statuses = (rows: ReadonlyArray<{ readonly id: string; readonly status: string }>) =>
  Object.fromEntries(rows.map(({ id, status }) => [id, status]))
