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
    return "Applications cannot do this: the user must do it in a session of their own."
  return via === "hmac"
    ? "API keys cannot do this: send the access token of a session, as Authorization: Bearer."
    : "Bearer tokens cannot do this: sign the request with an API key."
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
  if (absent.length > 0) return `Headers of the signature are missing: ${absent.join(", ")}.`
  if (reason !== "timestamp") return undefined
  const sent = JSON.stringify(String(signed.timestamp).slice(0, 32))
  return `The timestamp of the request is outside the allowed window: ${header("timestamp")} is ${sent}; expected Unix seconds within 300 s of the venue's clock. ${header("server-time")} of this answer is that clock in milliseconds.`
}

export const noToken = "The bearer token is missing: Authorization has to be Bearer, a space and an access token."

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
    ? `The API key lacks the permission ${selectable.join(" or ")}; make a key that has it with POST /user/api-keys.`
    : `The API key lacks the permission ${anyOf.join(" or ")}, which only the operator can grant.`
}

const accountNeeded: Readonly<Record<Rule["on"], (header: string) => string>> = {
  account: (header) =>
    `The credentials do not cover this account: name one of their accounts in ${header}, which defaults to the primary account.`,
  main: (header) =>
    `This acts only on the primary account, and the credentials do not permit it on the requested account: omit ${header}.`,
  funds: (header) =>
    `Deposits and withdrawals use the primary account only: omit ${header}, use credentials for all accounts, and move money to and from subaccounts with POST /user/transfer.`,
  user: (header) =>
    `This concerns all of the user's accounts: use credentials for all of them, and omit ${header} or name one of their accounts in it.`
}
