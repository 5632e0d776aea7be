/** Calls of the authentication service. */
import { Refusal } from "./Sentences.js"

const { clientKey, issuer } = document.body.dataset
const base = new URL(issuer).pathname

const call = async (url, { bearer, body, method = body === undefined ? "GET" : "POST", ...rest } = {}) => {
  const headers = new Headers(rest.headers)
  if (bearer !== undefined) headers.set("authorization", `Bearer ${bearer}`)
  if (body !== undefined) headers.set("content-type", "application/json")
  const init = { method, headers, credentials: "omit", redirect: "error", body: JSON.stringify(body) }
  const response = await fetch(url, init).catch(() => {
    throw new Refusal("unreachable")
  })
  const answer = await response.json().catch(() => ({}))
  if (response.ok) return answer
  throw new Refusal(answer.error_code, Number(response.headers.get("retry-after") ?? 0))
}

/** Returns the checksummed address and the service's time for the message: this browser's clock may be wrong. */
export const checksummed = (address) => call(`/sign-in/address?address=${encodeURIComponent(address)}`)

/** Signs in; `captchaToken` is undefined unless the service requires one. */
export const signIn = (proof, captchaToken) =>
  call(`${base}/token?grant_type=web3`, {
    headers: { apikey: clientKey },
    body: { chain: "ethereum", ...proof, svc_meta_security: captchaToken && { captcha_token: captchaToken } }
  })

export const signOut = ({ access_token }) =>
  call(`${base}/logout?scope=local`, { method: "POST", bearer: access_token })

/** Verifies a code with a new challenge, since a challenge accepts one answer. */
export const verify = async ({ access_token }, factorId, code) => {
  const factor = `${base}/factors/${encodeURIComponent(factorId)}`
  const { id } = await call(`${factor}/challenge`, { bearer: access_token, body: {} })
  return call(`${factor}/verify`, { bearer: access_token, body: { challenge_id: id, code } })
}

const authorization = (id) => `${base}/oauth/authorizations/${encodeURIComponent(id)}`

export const authorizationOf = ({ access_token }, id) => call(authorization(id), { bearer: access_token })

export const decide = async ({ access_token }, id, action) => {
  const deciding = call(`${authorization(id)}/consent`, { bearer: access_token, body: { action } })
  return deciding.catch((error) => {
    throw error.code === "validation_failed" ? new Refusal("authorization_decided") : error
  })
}
