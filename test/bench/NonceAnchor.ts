/**
 * Minimum cost of a signed read if each nonce is valid only once, across all nodes and restarts. This server is
 * `HttpAnchor.ts` plus a signature check and a commit of the nonce before each response. Requests that arrive during
 * an insert join the next insert. Run it as `NonceAnchor.ts <database url> <keys>`.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer, type ServerResponse } from "node:http"
import { connect } from "./Database.ts"
import type { RestOptions } from "./RestClient.ts"

interface Claim {
  readonly publicKey: string
  readonly nonce: string
  readonly answer: ServerResponse
}

const [databaseUrl = "", keys = "[]"] = process.argv.slice(2)
const secrets = new Map((JSON.parse(keys) as RestOptions["keys"]).map((key) => [key.public_key, key.secret_key]))
const body = JSON.stringify({ data: "x".repeat(288) })
const database = await connect(databaseUrl)
await database.query(`
  create table anchor_nonce (
    public_key text collate "C" not null,
    nonce text collate "C" not null,
    claimed_at timestamptz not null default clock_timestamp(),
    primary key (public_key, nonce)
  )`)
await database.query("create index on anchor_nonce (claimed_at)")
const insert = `
  insert into anchor_nonce (public_key, nonce)
  select * from unnest($1::text[], $2::text[])
  on conflict do nothing
  returning public_key, nonce`

let waiting: Array<Claim> = []
let isFlying = false

const flush = async (): Promise<void> => {
  while (waiting.length > 0) {
    const group = waiting
    waiting = []
    const values = [group.map(({ publicKey }) => publicKey), group.map(({ nonce }) => nonce)]
    const { rows } = await database.query({ name: "nonces", text: insert, values })
    // The load never repeats a nonce, so a missing row is a fault.
    if (rows.length < group.length) process.exit(1)
    // Starts the next insert before it responds to these requests.
    setImmediate(() => {
      for (const { answer } of group) say(answer, 200)
    })
  }
  isFlying = false
}

const say = (answer: ServerResponse, status: number): void => {
  answer.writeHead(status, { "content-type": "application/json", "content-length": body.length })
  answer.end(body)
}

const server = createServer(({ headers }, answer) => {
  const publicKey = String(headers["x-svc-public-key"])
  const nonce = String(headers["x-svc-nonce"])
  const expected = createHmac("sha256", secrets.get(publicKey) ?? "")
    .update(`${nonce}:${String(headers["x-svc-timestamp"])}`)
    .digest()
  const given = Buffer.from(String(headers["x-svc-hmac-signature"]), "hex")
  if (given.length !== expected.length || !timingSafeEqual(expected, given)) return say(answer, 401)
  waiting.push({ publicKey, nonce, answer })
  if (isFlying) return
  isFlying = true
  setImmediate(flush)
})
server.listen(0, "127.0.0.1", () => process.send!((server.address() as { readonly port: number }).port))
process.on("disconnect", () => process.exit(0))
