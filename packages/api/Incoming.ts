/** A client's text frame, which is parsed once and echoed unchanged in `ack` and `err`. */
import { Result } from "effect"

/** Object parsed from JSON. */
export type Fields = Readonly<Record<string, unknown>>

/** Parses JSON text; returns `undefined`, which is not a JSON value, for invalid text. */
export const parse = (text: string): unknown => {
  const parsed = Result.try((): unknown => JSON.parse(text))
  return Result.isSuccess(parsed) ? parsed.success : undefined
}

/** Whether a parsed value is a JSON object. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Returns the JSON text of `incoming_message` for a JSON object: the frame's own text, because printing the object
 * anew could overflow the stack. For a longer frame, returns a JSON string of the first 8,192 characters. Returns
 * `undefined` if the frame might hold a credential.
 */
export const ofObject = (text: string): string | undefined => {
  if (credentialField.test(text)) return undefined
  return text.length <= echoLimit ? text : quoted(text)
}

/** Returns a JSON string of a frame that was not a JSON object, or `undefined` if the frame might hold a credential. */
export const ofText = (text: string): string | undefined => (credentialWord.test(text) ? undefined : quoted(text))

/** Returns the echo of a frame that was not decoded: `ofObject` for a JSON object, `ofText` for other text. */
export const echo = (text: string): string | undefined => (isFields(parse(text)) ? ofObject(text) : ofText(text))

/** Maximum length of an echo, in characters. */
const echoLimit = 8_192

const quoted = (text: string): string => JSON.stringify(text.length <= echoLimit ? text : text.slice(0, echoLimit))

const credentialField =
  /"(?:hmac|jwt|signature|secret|secret_key|password|api_key|token|access_token|refresh_token)"\s*:|"type"\s*:\s*"auth"/i

/** Matches invalid JSON that might hold a credential, such as an `auth` with wrong quotes; a single word is enough. */
const credentialWord = /auth|hmac|jwt|signature|secret|password|api_key|token/i
