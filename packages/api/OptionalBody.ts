/** Requests with an optional body. */
import { Schema } from "effect"
import type { OpenApi } from "effect/http-api"

/** Returns the payload schemas of an optional body; a missing body decodes to void. */
export const orNone = <S extends Schema.Top>(body: S) => [body, Schema.Void] as const

/** Marks an operation's request body as optional, because the library describes every body as required. */
export const described = (operation: Record<string, unknown>) => ({
  ...operation,
  requestBody: { ...(operation["requestBody"] as OpenApi.OpenAPISpecRequestBody), required: false }
})
