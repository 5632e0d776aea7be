/** Operations of an OpenAPI document, and a check that responses conform to the document. */
import { document } from "@venue/api/rest/Document"
import { document as ofTreasury } from "@venue/api/treasury/Document"
import { ruleOf } from "@venue/auth/access/Permission"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import type { OpenApi } from "effect/http-api"
import type { Answer } from "../RestClient.ts"

export type Parameter = OpenApi.OpenAPISpecOperation["parameters"][number]

export interface Operation {
  /** Name such as `GET /candles/{symbol}`. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
  /** Schema of the request body; undefined if the operation has no body. */
  readonly body: object | undefined
  /** Accepted kinds of credentials; empty for a public operation. */
  readonly via: ReadonlyArray<"hmac" | "jwt">
  readonly statuses: ReadonlyArray<number>
  readonly responses: OpenApi.OpenAPISpecOperation["responses"]
}

export interface Description {
  readonly spec: OpenApi.OpenAPISpec
  readonly operations: ReadonlyArray<Operation>
  readonly webhooks: Readonly<Record<string, { readonly schema: object; readonly example: unknown }>>
  readonly validatorOf: (schema: object) => ValidateFunction
  /** Returns how a response deviates from the document, or undefined if it conforms. */
  readonly faultOf: (operation: Operation, answer: Answer) => string | undefined
}

interface Sent {
  readonly post: {
    readonly requestBody: {
      readonly content: { readonly "application/json": { readonly schema: object; readonly example: unknown } }
    }
  }
}

const describe = (spec: OpenApi.OpenAPISpec & { readonly webhooks?: Readonly<Record<string, Sent>> }): Description => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats })
  const validators = new Map<object, ValidateFunction>()
  const validatorOf = (schema: object): ValidateFunction => {
    const known = validators.get(schema)
    if (known !== undefined) return known
    const made = ajv.compile({ ...schema, components: spec.components })
    validators.set(schema, made)
    return made
  }
  const bodyFault = (schema: object, body: unknown, wrong: (what: string) => string) => {
    const validate = validatorOf(schema)
    return validate(body) ? undefined : wrong(`is not as its schema has it (${ajv.errorsText(validate.errors)})`)
  }
  return {
    spec,
    operations: operationsOf(spec),
    webhooks: Object.fromEntries(
      Object.entries(spec.webhooks ?? {}).map(([event, { post }]) => [
        event,
        post.requestBody.content["application/json"]
      ])
    ),
    validatorOf,
    faultOf: ({ name, responses }, { body, headers, status, text }) => {
      const wrong = (what: string) => `${name}: ${status} ${what}: ${text.slice(0, 500)}`
      const response = responses[status]
      if (response === undefined) return wrong("is not described")
      const types = Object.keys(response.content ?? {})
      if (types.length === 0) return text === "" ? undefined : wrong("has a body")
      const type = headers.get("content-type") ?? "none"
      const content = response.content?.[type as keyof typeof response.content]
      if (content === undefined) return wrong(`is ${type} in place of ${types.join(" or ")}`)
      return /^application\/(problem\+)?json$/.test(type) ? bodyFault(content.schema, body, wrong) : undefined
    }
  }
}

function operationsOf(spec: OpenApi.OpenAPISpec): ReadonlyArray<Operation> {
  return Object.entries(spec.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, OpenApi.OpenAPISpecOperation>).map(
      ([method, { parameters, requestBody, responses, security }]): Operation => ({
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters,
        body: requestBody?.content["application/json"]?.schema,
        via: security.map((scheme) => ("bearer" in scheme ? "jwt" : "hmac")),
        statuses: Object.keys(responses).map(Number),
        responses
      })
    )
  )
}

const formats = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  date: /^\d{4}-\d\d-\d\d$/,
  uri: /^[a-z][a-z\d+.-]*:\S+$/i
}

/** Options of the tests' listeners, except their URL. */
const served = { brand: "acme", baseUrl: "http://venue.test", accessOf: ruleOf }
export const rest = describe(document(served))
export const treasury = describe(ofTreasury(served))
