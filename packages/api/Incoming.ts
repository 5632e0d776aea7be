/** The text frame of a client: read once, and given back in `ack` and `err` as it came. */
import { Result } from "effect"

/** JSON text gave us this object, so it never has behaviour. */
export type Fields = Readonly<Record<string, unknown>>

/** What JSON text says, or `undefined` when it is not JSON: JSON itself has no `undefined`. */
export const parse = (text: string): unknown => {
  const parsed = Result.try((): unknown => JSON.parse(text))
  return Result.isSuccess(parsed) ? parsed.success : undefined
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * JSON text for `incoming_message` of a frame that was one JSON object: the frame itself, so that an echo is exact and
 * no depth of nesting costs a stack. `undefined` when it holds a credential, which is never sent back.
 */
export const ofObject = (text: string): string | undefined => {
  if (credentialField.test(text)) return undefined
  return text.length <= echoLimit ? text : quoted(text)
}

/** Does the same for a frame that was not a JSON object, as a JSON string of its text. */
export const ofText = (text: string): string | undefined => (credentialWord.test(text) ? undefined : quoted(text))

/** Does the one or the other, for a frame that was not read. */
export const echo = (text: string): string | undefined => (isFields(parse(text)) ? ofObject(text) : ofText(text))

/** Characters of a frame that are sent back whole; of a longer one only the beginning is, as a string. */
const echoLimit = 8_192

const quoted = (text: string): string => JSON.stringify(text.length <= echoLimit ? text : text.slice(0, echoLimit))

const credentialField =
  /"(?:hmac|jwt|signature|secret|secret_key|password|api_key|token|access_token|refresh_token)"\s*:|"type"\s*:\s*"auth"/i

/**
 * Broken text has no fields, so one word in it is enough: a frame that fails to parse may be an `auth` in wrong quotes.
 */
const credentialWord = /auth|hmac|jwt|signature|secret|password|api_key|token/i
