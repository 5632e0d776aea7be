/** Signature of an identity provider's callback, implemented independently from the provider's specification. */
import { Redacted } from "effect"
import { createHmac } from "node:crypto"

export const signatureOf = (callbackKey: Redacted.Redacted, body: string, nowMillis: number): string => {
  const seconds = Math.floor(nowMillis / 1_000)
  const mac = createHmac("sha256", Redacted.value(callbackKey)).update(`${seconds}.${body}`).digest("hex")
  return `t=${seconds},v1=${mac}`
}
