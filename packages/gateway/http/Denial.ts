/** Detail texts of 401 and 403 problems. No text reveals whether a key, user or account exists. */
import { type Header, headerName } from "@venue/api/Headers"
import type { Caller, Unauthenticated } from "@venue/auth/access/Caller"
import type { Signed } from "@venue/auth/access/Hmac"
import { type PermissionDenied, type Rule, ruleOf } from "@venue/auth/access/Permission"
import { Selectable } from "@venue/domain/Permission"

/** Returns the detail text of a 403, which names the credential, permission or account that the call requires. */
export const denied = (
  { action, reason }: Pick<PermissionDenied, "action" | "reason">,
  { clientId, via }: Pick<Caller, "clientId" | "via">,
  brand: string
): string => {
  const rule = ruleOf(action)
  if (rule === undefined || reason === "no_rule") return "This action is not available to any caller."
  if (reason === "permission") return permissionNeeded(rule)
  if (reason === "account") return accountNeeded[rule.on](headerName(brand, "requested-account-id"))
  if (rule.ownOnly && clientId !== null)
    return "OAuth applications cannot do this; the user must sign in to the venue directly."
  return via === "hmac"
    ? "API keys cannot do this; sign in, and send the access token as Authorization: Bearer."
    : "Bearer tokens cannot do this; sign the request with an API key."
}

/** Returns the detail text for missing headers or a wrong timestamp, or undefined for every other fault. */
export const signatureFault = (
  signed: Signed,
  reason: Unauthenticated["reason"] | undefined,
  brand: string
): string | undefined => {
  const header = (name: Header) => headerName(brand, name)
  const absent = signedHeaders.filter(([member]) => signed[member] === "").map(([, name]) => header(name))
  if (absent.length === signedHeaders.length) {
    return `Credentials are missing: send Authorization: Bearer with an access token, or sign the request with ${absent.join(", ")}.`
  }
  if (absent.length > 0) return `Signature headers are missing; send ${absent.join(", ")}.`
  if (reason !== "timestamp") return undefined
  const sent = JSON.stringify(String(signed.timestamp).slice(0, 32))
  return `The request's timestamp is outside the allowed window: ${header("timestamp")} is ${sent}; expected Unix seconds within 300 s of the venue's clock. The response header ${header("server-time")} contains the venue's time in Unix milliseconds.`
}

export const noToken = "The bearer token is missing; set Authorization to Bearer, a space and an access token."

const signedHeaders: ReadonlyArray<readonly [member: keyof Signed, header: Header]> = [
  ["publicKey", "public-key"],
  ["nonce", "nonce"],
  ["timestamp", "timestamp"],
  ["signature", "hmac-signature"]
]

/** Returns the text that names a rule's selectable permissions, or the permissions that only the operator can grant. */
const permissionNeeded = ({ anyOf }: Rule): string => {
  const selectable = anyOf.filter((name) => (Selectable.literals as ReadonlyArray<string>).includes(name))
  return selectable.length > 0
    ? `The API key lacks the permission ${selectable.join(" or ")}; use POST /user/api-keys to create a key with this permission.`
    : `The API key lacks the permission ${anyOf.join(" or ")}, which only the operator can grant.`
}

const accountNeeded: Readonly<Record<Rule["on"], (header: string) => string>> = {
  account: (header) =>
    `The credentials do not cover this account; set ${header} to an account that they cover. Without the header, the request is for the primary account.`,
  main: (header) =>
    `This endpoint acts only on the primary account, and the credentials do not permit the requested account; omit ${header}.`,
  funds: (header) =>
    `Deposits and withdrawals use only the primary account: omit ${header}, and use credentials for all accounts. To move money to or from a subaccount, use POST /user/transfer.`,
  user: (header) =>
    `This endpoint covers all of the user's accounts: use credentials for all accounts, and omit ${header} or set it to one of the user's accounts.`
}
