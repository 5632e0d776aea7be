/** The document of `GET /openapi.json`, for an operator's header prefix and public address. */
import { contentType } from "effect/http/ProblemDetails"
import { OpenApi } from "effect/http-api"
import { headerName } from "../Headers.ts"
import { Api } from "./Api.ts"

/** Who may ask, and on what: as much of a permission rule as a client needs to know. */
export interface Access {
  readonly via: ReadonlyArray<"hmac" | "jwt">
  readonly on: "account" | "main" | "user"
}

export interface DocumentOptions {
  readonly brand: string
  readonly baseUrl: string
  /** By method and path such as `GET /user/api-keys/:public_key`; what has no rule is for everybody. */
  readonly accessOf: (action: string) => Access | undefined
}

export const document = ({ accessOf, baseUrl, brand }: DocumentOptions): OpenApi.OpenAPISpec => {
  const spec = OpenApi.fromApi(Api)
  const paths = Object.entries(spec.paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, operation]) => {
      if (!("responses" in operation)) return [method, operation]
      const access = accessOf(`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`)
      return [method, modelled(access === undefined ? operation : secured(operation, brand, access))]
    })
    return [path, Object.fromEntries(operations)]
  })
  return {
    ...spec,
    servers: [{ url: baseUrl }],
    components: { schemas: withoutClasses(spec.components.schemas), securitySchemes: schemes(brand) },
    paths: Object.fromEntries(paths)
  }
}

type Operation = OpenApi.OpenAPISpecOperation

const hmacHeaders = ["public-key", "hmac-signature", "nonce", "timestamp"] as const

const schemes = (brand: string): OpenApi.OpenAPISpec["components"]["securitySchemes"] => ({
  ...Object.fromEntries(
    hmacHeaders.map((header) => [header, { type: "apiKey", in: "header", name: headerName(brand, header) }])
  ),
  bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" }
})

/** The four HMAC headers go together. */
const securities = {
  hmac: Object.fromEntries(hmacHeaders.map((header) => [header, []])),
  jwt: { bearer: [] }
}

/** With the header that selects a subaccount, where there is one to select. */
const secured = (operation: Operation, brand: string, { on, via }: Access): Operation => ({
  ...operation,
  security: via.map((credential) => securities[credential]),
  parameters: on === "account" ? [...operation.parameters, accountHeader(brand)] : operation.parameters
})

const accountHeader = (brand: string): Operation["parameters"][number] => ({
  name: headerName(brand, "requested-account-id"),
  in: "header",
  required: false,
  schema: { type: "string", format: "uuid" }
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
