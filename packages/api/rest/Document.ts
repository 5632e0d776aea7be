/** The document of `GET /openapi.json`, for an operator's header prefix and public address. */
import { contentType } from "effect/http/ProblemDetails"
import { OpenApi } from "effect/http-api"
import { headerName } from "../Headers.ts"
import { Api } from "./Api.ts"

export const document = (brand: string, baseUrl: string): OpenApi.OpenAPISpec => {
  const spec = OpenApi.fromApi(Api)
  const paths = Object.entries(spec.paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, operation]) =>
      "responses" in operation
        ? [method, modelled(isSecured(path) ? secured(operation, brand) : operation)]
        : [method, operation]
    )
    return [path, Object.fromEntries(operations)]
  })
  return {
    ...spec,
    servers: [{ url: baseUrl }],
    components: { schemas: withoutClasses(spec.components.schemas), securitySchemes: schemes(brand) },
    paths: Object.fromEntries(paths)
  }
}

/** The other paths are for everybody. */
const isSecured = (path: string): boolean => path.startsWith("/user/") || path === "/builder/web3/api-key"

type Operation = OpenApi.OpenAPISpecOperation

const hmacHeaders = ["public-key", "hmac-signature", "nonce", "timestamp"] as const

const schemes = (brand: string): OpenApi.OpenAPISpec["components"]["securitySchemes"] => ({
  ...Object.fromEntries(
    hmacHeaders.map((header) => [header, { type: "apiKey", in: "header", name: headerName(brand, header) }])
  ),
  bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" }
})

/** The four HMAC headers together, or a session's token; and the header that selects a subaccount. */
const secured = (operation: Operation, brand: string): Operation => ({
  ...operation,
  security: [Object.fromEntries(hmacHeaders.map((header) => [header, []])), { bearer: [] }],
  parameters: [
    ...operation.parameters,
    {
      name: headerName(brand, "requested-account-id"),
      in: "header",
      required: false,
      schema: { type: "string", format: "uuid" }
    }
  ]
})

/** Our classes of refusals are one model to the reader. */
const modelled = (operation: Operation): Operation => ({
  ...operation,
  responses: Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => [
      status,
      response.content?.[contentType] === undefined
        ? response
        : { ...response, content: { [contentType]: { schema: { $ref: "#/components/schemas/ErrorModel" } } } }
    ])
  )
})

const withoutClasses = <S>(schemas: Record<string, S>): Record<string, S> =>
  Object.fromEntries(Object.entries(schemas).filter(([name]) => !name.endsWith("Encoded")))
