/**
 * Unknown wallets without money. Each signs in and sends a few requests, drawn from a seed, which the venue accepts
 * or refuses. No request is allowed to make an auditor halt the venue.
 */
import { WebSocket } from "ws"
import { startPrice, symbol } from "../../../bench/LoadFrames.ts"
import * as SignInMessages from "../../../bench/SignInMessages.ts"
import * as Random from "../../../chaos/Random.ts"
import * as Signing from "../../../chaos/Signing.ts"

/** Contents of a development venue's `dev.json`. */
export interface DevFile {
  readonly urls: Readonly<Record<"rest" | "funding" | "auth" | "trade" | "market_data" | "admin", string>>
  readonly auth_client_key: string
  readonly service_name: string
  readonly sign_in_uri: string
  readonly admin_token: string
  readonly users: ReadonlyArray<Signing.Key & { readonly name: string; readonly user_id: string }>
}

/** Number of responses by action and status. */
export type Counts = Map<string, number>

export interface Options {
  readonly seed: number
  readonly strangers: number
  readonly concurrency: number
}

/** Runs all strangers and resolves after the last one. */
export const come = async (file: DevFile, { concurrency, seed, strangers }: Options): Promise<Counts> => {
  const counts: Counts = new Map()
  let next = 0
  const guests = Array.from({ length: concurrency }, async () => {
    while (next < strangers) await visit(file, Random.make(seed, `stranger ${next++}`), counts)
  })
  await Promise.all(guests)
  return counts
}

interface Visitor {
  readonly file: DevFile
  readonly random: Random.Random
  readonly userId: string
  readonly token: string
  /** Sends a request as this user, and counts the response under `name`. */
  readonly ask: (name: string, url: string, options?: Asking) => Promise<unknown>
}

interface Asking {
  readonly method?: "POST" | "DELETE"
  readonly body?: object
  readonly key?: Signing.Key
  readonly isOperator?: boolean
}

const visit = async (file: DevFile, random: Random.Random, counts: Counts): Promise<void> => {
  const wallet = SignInMessages.makeWallet()
  const place = {
    port: Number(new URL(file.urls.auth).port),
    clientKey: file.auth_client_key,
    serviceName: file.service_name,
    uri: file.sign_in_uri
  }
  const { host: _, ...headers } = SignInMessages.headersOf(place)
  const answer = await fetch(`${file.urls.auth}${SignInMessages.path}`, {
    method: "POST",
    headers,
    body: SignInMessages.body(place, wallet.address, wallet.key)
  })
  count(counts, "sign in", answer.status)
  const session = (await answer.json()) as { readonly access_token?: string; readonly user?: { readonly id: string } }
  if (session.access_token === undefined || session.user === undefined) return
  const token = session.access_token
  const ask: Visitor["ask"] = async (name, url, { body, isOperator = false, key, method } = {}) => {
    const credential =
      key === undefined
        ? { authorization: `Bearer ${isOperator ? file.admin_token : token}` }
        : Signing.headersOf(Signing.signed(key))
    const response = await fetch(url, {
      method: method ?? "GET",
      headers: { ...credential, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    count(counts, name, response.status)
    const text = await response.text()
    return response.ok && text.startsWith("{") ? JSON.parse(text) : undefined
  }
  const visitor: Visitor = { file, random, userId: session.user.id, token, ask }
  if (random.chance(0.7)) await accept(visitor, () => {})
  const names = Object.keys(actions)
  for (let left = 1 + random.whole(mostActions); left > 0; left--) {
    const name = random.pick(names)
    await actions[name]!(visitor, (status) => count(counts, name, status))
  }
}

type Action = (visitor: Visitor, report: (status: string) => void) => Promise<unknown>

const reading =
  (paths: ReadonlyArray<string>, of: "rest" | "funding"): Action =>
  ({ ask, file, random }) => {
    const path = random.pick(paths)
    return ask(`read ${path.split("?")[0]}`, `${file.urls[of]}${path}`)
  }

const posting =
  (name: string, of: "rest" | "funding", path: string, body: (random: Random.Random) => object): Action =>
  ({ ask, file, random }) =>
    ask(name, `${file.urls[of]}${path}`, { method: "POST", body: body(random) })

const address = "0x52908400098527886E0F7030069857D2E4169EE7"
const order = (random: Random.Random, side = random.pick(["BUY", "SELL"])) => ({
  symbol,
  side,
  order_type: "LIMIT",
  order_time_in_force: "GTC",
  quantity: 100,
  price: random.pick([startPrice, 0.66, 0.65]),
  client_order_id: "stranger"
})

const accept = posting("accept the terms", "rest", "/user/terms", () => ({ terms_version: "1" }))

const actions: Readonly<Record<string, Action>> = {
  "read the account": reading(
    [
      "/user/positions",
      "/user/subaccounts/balance",
      "/user/subaccounts",
      "/user/fees",
      "/user/account-equity",
      "/user/historic-orders",
      "/user/volume",
      "/user/onboarding",
      "/user/api-keys",
      "/user/referral-rewards"
    ],
    "rest"
  ),
  "read the money": reading(
    ["/address", "/deposits", "/withdrawals", "/fiat-address?currency=usd&payment_rail=wire"],
    "funding"
  ),
  "accept the terms": accept,
  "open a subaccount": async ({ ask, file, userId }) => {
    const opened = (await ask("open a subaccount", `${file.urls.rest}/user/subaccounts`, {
      method: "POST",
      body: {}
    })) as { readonly account_id: string } | undefined
    if (opened === undefined) return
    const path = `/user/transfer?src_account_id=${userId}&dst_account_id=${opened.account_id}`
    await ask("transfer to a subaccount", `${file.urls.rest}${path}`, { method: "POST", body: { amount: 1 } })
    await ask("read a subaccount", `${file.urls.rest}/user/subaccounts/balance`)
  },
  "set leverage": posting("set leverage", "rest", "/user/leverage", () => ({ symbol, leverage: 5 })),
  "preview an order": posting("preview an order", "rest", "/user/orders/preview", (random) => {
    const { client_order_id: _, ...unnamed } = order(random)
    return unnamed
  }),
  withdraw: posting("withdraw", "funding", "/withdraw", () => ({ amount: 20, address })),
  "redeem a code": posting("redeem a code", "rest", "/user/invitation-codes/redeem", () => ({ code: "0000000000" })),
  transfer: ({ ask, file, userId }) =>
    ask("transfer", `${file.urls.rest}/user/transfer?src_account_id=${userId}&dst_account_id=${userId}`, {
      method: "POST",
      body: { amount: 1 }
    }),
  "make a key, use it and delete it": async ({ ask, file, random }) => {
    const body = {
      label: "stranger",
      permissions: ["view_positions", "view_orders", "execute_orders"],
      scope: "all_accounts"
    }
    const key = (await ask("make a key", `${file.urls.rest}/user/api-keys`, { method: "POST", body })) as
      | Signing.Key
      | undefined
    if (key === undefined) return
    await ask("read with a key", `${file.urls.rest}/user/positions`, { key })
    const shares = { svc_fee_share_bps: 5_000, builder_fee_share_bps: 5_000 }
    const code = { key, method: "POST", body: shares } as const
    if (random.chance(0.5)) await ask("register a builder code", `${file.urls.rest}/user/builder-code`, code)
    if (random.chance(0.5))
      await ask("delete a key", `${file.urls.rest}/user/api-keys/${key.public_key}`, { method: "DELETE" })
  },
  "trade without money": async (visitor, report) => report(await trade(visitor)),
  "be frozen": async ({ ask, file, random, userId }) => {
    const body = { user_id: userId, reason: "drill" }
    const freeze = (what: string) =>
      ask(what, `${file.urls.admin}/users/${what}`, { method: "POST", body, isOperator: true })
    await freeze("freeze")
    if (random.chance(0.5)) await freeze("unfreeze")
  },
  "send what nobody can match": ({ ask, file, random }) =>
    ask("send what nobody can match", `${file.urls.admin}/simulated-rails/deposit`, {
      method: "POST",
      isOperator: true,
      body: {
        rail: "BANK",
        sent_to: `nobody ${random.whole(1_000_000)}`,
        amount: 1 + random.whole(90),
        payment_rail: "wire"
      }
    }),
  "deposit in a block that is replaced": async ({ ask, file, random }) => {
    const mine = (await ask("read /address", `${file.urls.funding}/address`)) as
      | { readonly address: string }
      | undefined
    if (mine === undefined) return
    const rail = "ARBITRUM_ONE"
    const simulate = (path: string, body: object) =>
      ask(path, `${file.urls.admin}/simulated-rails/${path}`, {
        method: "POST",
        isOperator: true,
        body: { rail, ...body }
      })
    await simulate("deposit", { sent_to: mine.address, amount: 5 + random.whole(50) })
    await new Promise((resolve) => setTimeout(resolve, random.whole(2_000)))
    await simulate("reorganise", { blocks: 1 + random.whole(3), comes_again: random.chance(0.5) })
  },
  "send what is taken back": async ({ ask, file }) => {
    const body = { rail: "BANK", sent_to: "nobody", amount: 7, payment_rail: "wire" }
    const sent = await ask("send what is taken back", `${file.urls.admin}/simulated-rails/deposit`, {
      method: "POST",
      isOperator: true,
      body
    })
    const { tx_hash } = (sent ?? {}) as { readonly tx_hash?: string }
    if (tx_hash === undefined) return
    await ask("take back", `${file.urls.admin}/simulated-rails/take-back`, {
      method: "POST",
      isOperator: true,
      body: { tx_hash }
    })
  }
}

/** Signs in on the trade socket, subscribes and places orders. Returns the last expected response. */
const trade = ({ file, random, token }: Visitor): Promise<string> =>
  new Promise((resolve) => {
    const ws = new WebSocket(file.urls.trade)
    const send = (type: string, params: object) => ws.send(JSON.stringify({ type, params }))
    const end = (how: string) => {
      clearTimeout(timer)
      ws.terminate()
      resolve(how)
    }
    const timer = setTimeout(() => end("no answer"), patienceMillis)
    ws.on("error", () => end("no connection"))
    ws.on("open", () => send("auth", { jwt: token }))
    ws.on("message", (data) => {
      const frame = JSON.parse(String(data)) as {
        readonly authenticated?: boolean
        readonly ack?: object
        readonly order_response?: { readonly status: string }
        readonly err?: { readonly error_code: string; readonly incoming_message?: { readonly type: string } }
      }
      if (frame.authenticated === true) {
        send("subscribe", { channels: ["order_responses", "fills", "positions", "balances"] })
        if (random.chance(0.5)) send("cancel_on_disconnect", { cancel_on_disconnect: true })
        if (random.chance(0.5)) send("cancel_all_after", { timeout_secs: 30 })
        send("add_order", order(random))
      } else if (frame.order_response !== undefined) end(frame.order_response.status)
      else if (frame.err !== undefined && frame.err.incoming_message?.type !== "cancel_all_after")
        end(frame.err.error_code)
    })
  })

const count = (counts: Counts, name: string, status: number | string): void => {
  const key = `${name}: ${status}`
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

export const add = (to: Counts, counts: Counts): void => {
  for (const [what, times] of counts) to.set(what, (to.get(what) ?? 0) + times)
}

/** Returns the counts as text, one action per line. */
export const textOf = (counts: Counts): string =>
  [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([what, times]) => `  ${what} (${times})`)
    .join("\n")

const mostActions = 6
const patienceMillis = 10_000
