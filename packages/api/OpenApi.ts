/** Builds an interface's OpenAPI document (`GET /openapi.json`) for an operator's header prefix and public URL. */
import type { Schema } from "effect"
import { contentType } from "effect/http/ProblemDetails"
import { type HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { type Member, memberName } from "./Brand.ts"
import { headerName } from "./Headers.ts"
import type { Status } from "./Problem.ts"
import { release } from "./Release.ts"
import { titles } from "./StatusTitle.ts"
import { published } from "./PublishedSchema.ts"

/** Credentials that an operation accepts, and the account that it uses. */
export interface Access {
  readonly via: ReadonlyArray<"hmac" | "jwt">
  readonly on: "account" | "main" | "funds" | "user"
  /** Whether the operation ignores the account in the request's account header. */
  readonly ignoresNamed: boolean
}

/** Settings of a document, and the access rules of its operations. */
export interface DocumentOptions {
  readonly brand: string
  readonly baseUrl: string
  /** Returns the rule of an operation such as `GET /user/api-keys/:public_key`, or undefined for a public operation. */
  readonly accessOf: (action: string) => Access | undefined
}

/** Example bodies by schema name. */
export type Examples = Readonly<Record<string, Schema.Json>>

/** Builds an interface's OpenAPI document with security, examples and the operator's prefix. */
export const documentOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  examples: Examples,
  { accessOf, baseUrl, brand }: DocumentOptions
): OpenApi.OpenAPISpec => {
  const spec = described(api)
  return {
    ...spec,
    info: { ...spec.info, description: `${beyondOperations} Problems are explained at ${baseUrl}/problems/.` },
    servers: [{ url: baseUrl }],
    components: {
      ...spec.components,
      schemas: prefixed(exemplified(spec.components.schemas, examples), brand),
      securitySchemes: schemes(brand)
    },
    paths: eachOperation(spec.paths, (operation, method, path) => {
      const access = accessOf(`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`)
      // Health checks are not rate-limited. Every other operation is limited by user or by IP address.
      const limited = path.startsWith("/health/") ? operation : answering(operation, [429])
      const fit = fitting(limited, access === undefined)
      return access === undefined ? fit : secured(fit, brand, access)
    })
  }
}

/** Builds an API's document with the single model `ErrorModel` instead of one class per error status. */
export const described = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): OpenApi.OpenAPISpec => {
  const spec = published(OpenApi.fromApi(api))
  return {
    ...spec,
    // The type does not list this extension field.
    info: { ...spec.info, "x-release": release } as typeof spec.info,
    components: { ...spec.components, schemas: withoutClasses(spec.components.schemas) },
    paths: eachOperation(spec.paths, modelled)
  }
}

type Operation = OpenApi.OpenAPISpecOperation

const eachOperation = (
  paths: OpenApi.OpenAPISpec["paths"],
  change: (operation: Operation, method: string, path: string) => Operation
): OpenApi.OpenAPISpec["paths"] =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]) => {
      const operations = Object.entries(item).map(([method, operation]) => [
        method,
        "responses" in operation ? change(operation, method, path) : operation
      ])
      return [path, Object.fromEntries(operations)]
    })
  )

/** Text about responses that operations do not list. */
export const beyondOperations =
  "The operations below do not list the responses that any request can receive: 400 for bytes that are not HTTP, " +
  "404 for an unknown path, 405 with `Allow` for an unsupported method, 408 for a request that does not arrive in time, " +
  "413 or 415 for a body that the operation does not accept, 414 for a URL above 8 KiB, 431 for a request line and headers " +
  "above 16 KiB together, and 500 for an internal error. The body of each of these responses is an `ErrorModel`."

const hmacHeaders = ["public-key", "hmac-signature", "nonce", "timestamp"] as const

/** Adds an example to each schema that has one. */
export const exemplified = (schemas: Schemas, examples: Examples): Schemas =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const example = examples[name]
      return [name, example === undefined ? schema : { ...schema, examples: [example] }]
    })
  )

/** Replaces the neutral prefix of members with the operator's prefix. */
const prefixed = (schemas: Schemas, brand: string): Schemas =>
  JSON.parse(
    JSON.stringify(schemas).replaceAll(/"(svc_\w+)"/g, (_, neutral: Member) =>
      JSON.stringify(memberName(brand, neutral))
    )
  )
type Schemas = OpenApi.OpenAPISpec["components"]["schemas"]

const schemes = (brand: string): OpenApi.OpenAPISpec["components"]["securitySchemes"] => ({
  ...Object.fromEntries(
    hmacHeaders.map((header) => [header, { type: "apiKey", in: "header", name: headerName(brand, header) }])
  ),
  bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" }
})

/** Security requirements; HMAC needs all four headers together. */
const securities = {
  hmac: Object.fromEntries(hmacHeaders.map((header) => [header, []])),
  jwt: { bearer: [] }
}

/** Adds security and the account header, which authentication reads for every operation. */
const secured = (operation: Operation, brand: string, access: Access): Operation => ({
  ...operation,
  security: access.via.map((credential) => securities[credential]),
  parameters: [...operation.parameters, accountHeader(brand, access)]
})

const accountHeader = (brand: string, { ignoresNamed, on }: Access): Operation["parameters"][number] => ({
  name: headerName(brand, "requested-account-id"),
  in: "header",
  description: ignoresNamed
    ? "Account id. A value that is not a UUID is refused; any other value is ignored."
    : namedAccount[on],
  required: false,
  schema: { type: "string", format: "uuid", examples: ["8d2f1b6c-3a4e-4f70-9b1d-5e6c7a8b9c0d"] }
})

const namedAccount: Readonly<Record<Access["on"], string>> = {
  account:
    "Account to act on: the user's primary account or one of the user's subaccounts. An empty or absent value " +
    "means the primary account.",
  user: "Account of the user. Checked, but otherwise ignored: the operation always covers all accounts.",
  main: "Account to act on. Only the primary account is accepted; it is also the default.",
  funds: "Account to act on. Only the primary account is accepted; it is also the default."
}

/** Removes the responses 400 and 422 from operations whose requests cannot be invalid. */
const fitting = (operation: Operation, isOpen: boolean): Operation => {
  const { parameters, requestBody } = operation
  const isFree = ({ in: place, schema }: Operation["parameters"][number]) =>
    place === "header" || (place === "path" && Object.keys(schema).every((key) => key === "type" || key === "examples"))
  if (requestBody !== undefined || !parameters.every(isFree)) return operation
  const takesValues = parameters.some(({ in: place }) => place === "path")
  // An operation with credentials keeps its 422 response, because its account header can be invalid.
  const never = [...(takesValues ? [] : ["400"]), ...(isOpen ? ["422"] : [])]
  const responses = Object.entries(operation.responses).filter(([status]) => !never.includes(status))
  return { ...operation, responses: Object.fromEntries(responses) }
}

const modelled = (operation: Operation): Operation => ({
  ...operation,
  parameters: operation.parameters.map(withWords),
  responses: {
    ...Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => [
        status,
        response.content?.[contentType] === undefined ? response : { ...response, content: refused }
      ])
    ),
    ...answersOf(beforeRoutes(operation))
  }
})

/** Moves a parameter's description from its schema to the parameter, as OpenAPI expects. */
const withWords = (parameter: Operation["parameters"][number]): Operation["parameters"][number] => {
  const { description, ...schema } = parameter.schema as { readonly description?: unknown }
  return typeof description === "string" ? { ...parameter, description, schema } : parameter
}

const answering = (operation: Operation, statuses: ReadonlyArray<Status>): Operation => ({
  ...operation,
  responses: { ...answersOf(statuses), ...operation.responses }
})

const answersOf = (statuses: ReadonlyArray<Status>): Operation["responses"] =>
  Object.fromEntries(statuses.map((status) => [status, { description: titles[status], content: refused }]))

const refused = { [contentType]: { schema: { $ref: "#/components/schemas/ErrorModel" } } }

/** Returns the statuses with which the server can respond before or instead of the endpoint. */
const beforeRoutes = ({ requestBody }: Operation): ReadonlyArray<Status> =>
  requestBody === undefined ? [504] : [400, 413, 415, 504]

const withoutClasses = <S>(schemas: Record<string, S>): Record<string, S> =>
  Object.fromEntries(Object.entries(schemas).filter(([name]) => !name.endsWith("Encoded")))
