/** The document of `GET /openapi.json` of an interface, for an operator's header prefix and public address. */
import type { Schema } from "effect"
import { contentType } from "effect/http/ProblemDetails"
import { type HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { type Member, memberName } from "./Brand.ts"
import { headerName } from "./Headers.ts"
import type { Status } from "./Problem.ts"
import { titles } from "./StatusTitle.ts"
import { published } from "./PublishedSchema.ts"

/** Who may ask, and on what: as much of a permission rule as a client needs to know. */
export interface Access {
  readonly via: ReadonlyArray<"hmac" | "jwt">
  readonly on: "account" | "main" | "funds" | "user"
  /** The account that a request names is not looked at. */
  readonly ignoresNamed: boolean
}

export interface DocumentOptions {
  readonly brand: string
  readonly baseUrl: string
  /** Rules stand by method and path such as `GET /user/api-keys/:public_key`; what has no rule is for everybody. */
  readonly accessOf: (action: string) => Access | undefined
}

/** An example of each body, by the name of its schema. */
export type Examples = Readonly<Record<string, Schema.Json>>

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
      const told = path.startsWith("/health/") ? operation : answering(operation, [429])
      const fit = fitting(told, access === undefined)
      return access === undefined ? fit : secured(fit, brand, access)
    })
  }
}

/** An API as it is, but that our classes of refusals are one model to the reader. */
export const described = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): OpenApi.OpenAPISpec => {
  const spec = published(OpenApi.fromApi(api))
  return {
    ...spec,
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

const beyondOperations =
  "What is answered before it is known which operation is asked, or where none is, stands at no operation: 400 to bytes " +
  "that are no HTTP, 404 to another path, 405 with `Allow` to another method, 408 to a request that does not arrive in " +
  "time, 413 or 415 to a body where none is asked for, 414 to an address of more than 8 KiB, 431 to headers of more than " +
  "16 KiB with it; nor does 500, a fault of the venue. All of them are an `ErrorModel`."

const hmacHeaders = ["public-key", "hmac-signature", "nonce", "timestamp"] as const

const exemplified = (schemas: Schemas, examples: Examples): Schemas =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const example = examples[name]
      return [name, example === undefined ? schema : { ...schema, examples: [example] }]
    })
  )

/** Bodies whose members carry the operator's prefix have it in their schemas too. */
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

/** The four HMAC headers go together. */
const securities = {
  hmac: Object.fromEntries(hmacHeaders.map((header) => [header, []])),
  jwt: { bearer: [] }
}

/** Adds the header that names an account: authentication reads it for every operation with credentials. */
const secured = (operation: Operation, brand: string, access: Access): Operation => ({
  ...operation,
  security: access.via.map((credential) => securities[credential]),
  parameters: [...operation.parameters, accountHeader(brand, access)]
})

const accountHeader = (brand: string, { ignoresNamed, on }: Access): Operation["parameters"][number] => ({
  name: headerName(brand, "requested-account-id"),
  in: "header",
  description: ignoresNamed ? "Account id. It is checked for its form and otherwise ignored." : namedAccount[on],
  required: false,
  schema: { type: "string", format: "uuid", examples: ["8d2f1b6c-3a4e-4f70-9b1d-5e6c7a8b9c0d"] }
})

const namedAccount: Readonly<Record<Access["on"], string>> = {
  account:
    "Account to act on: the primary account or a subaccount of the user. Default, also where it is empty: the " +
    "primary account.",
  user: "Account of the user. It must belong to the user; the operation is about all accounts, whichever is named.",
  main: "Account to act on. Only the primary account, which is also the default, is accepted.",
  funds: "Account to act on. Only the primary account, which is also the default, is accepted."
}

/** Where nothing is sent that could be unfit, or not allowed, nobody is told so. */
const fitting = (operation: Operation, isOpen: boolean): Operation => {
  const { parameters, requestBody } = operation
  const isFree = ({ in: place, schema }: Operation["parameters"][number]) =>
    place === "header" || (place === "path" && Object.keys(schema).every((key) => key === "type" || key === "examples"))
  if (requestBody !== undefined || !parameters.every(isFree)) return operation
  const takesValues = parameters.some(({ in: place }) => place === "path")
  // Whoever shows credentials may name an account in a header, wherever one is asked.
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

/** A parameter has its description where OpenAPI looks for it. */
const withWords = (parameter: Operation["parameters"][number]): Operation["parameters"][number] => {
  const { description, ...schema } = parameter.schema as { readonly description?: unknown }
  return typeof description === "string" ? { ...parameter, description, schema } : parameter
}

/** Health is asked by machines, and always told; all else has a limit, by user or by address. */
const answering = (operation: Operation, statuses: ReadonlyArray<Status>): Operation => ({
  ...operation,
  responses: { ...answersOf(statuses), ...operation.responses }
})

const answersOf = (statuses: ReadonlyArray<Status>): Operation["responses"] =>
  Object.fromEntries(statuses.map((status) => [status, { description: titles[status], content: refused }]))

const refused = { [contentType]: { schema: { $ref: "#/components/schemas/ErrorModel" } } }

/** What may be answered before the endpoint is asked, or instead of it: no endpoint fails so itself. */
const beforeRoutes = ({ requestBody }: Operation): ReadonlyArray<Status> =>
  requestBody === undefined ? [504] : [400, 413, 415, 504]

const withoutClasses = <S>(schemas: Record<string, S>): Record<string, S> =>
  Object.fromEntries(Object.entries(schemas).filter(([name]) => !name.endsWith("Encoded")))
