/** Requests to which there is nothing to say, and so there need not be a body. */
import { Schema } from "effect"
import type { OpenApi } from "effect/http-api"

/** No body at all is void. */
export const orNone = <S extends Schema.Top>(body: S) => [body, Schema.Void] as const

/** The library describes every body as one that has to be there. */
export const described = (operation: Record<string, unknown>) => ({
  ...operation,
  requestBody: { ...(operation["requestBody"] as OpenApi.OpenAPISpecRequestBody), required: false }
})
