/** Requests signed with an API key according to the published protocol. */
import { createHmac, randomBytes } from "node:crypto"

export interface Key {
  readonly public_key: string
  readonly secret_key: string
}

/** Returns a credential that is valid for one request. */
export const signed = ({ public_key, secret_key }: Key) => {
  const nonce = randomBytes(16).toString("hex")
  const unix_ts = Math.floor(Date.now() / 1000)
  const signature = createHmac("sha256", secret_key).update(`${nonce}:${unix_ts}`).digest("hex")
  return { public_key, nonce, unix_ts, signature }
}
export type Credential = ReturnType<typeof signed>

export const headersOf = ({ nonce, public_key, signature, unix_ts }: Credential): Readonly<Record<string, string>> => ({
  "x-svc-public-key": public_key,
  "x-svc-nonce": nonce,
  "x-svc-timestamp": String(unix_ts),
  "x-svc-hmac-signature": signature
})

/** The status is null if no response arrived in time. */
export interface Answer {
  readonly status: number | null
  readonly body: unknown
}

export const ask = async (
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
  timeoutMillis = 5_000
): Promise<Answer> => {
  try {
    const answer = await fetch(url, {
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMillis)
    })
    const text = await answer.text()
    return { status: answer.status, body: text === "" ? undefined : parsed(text) }
  } catch {
    return { status: null, body: undefined }
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
