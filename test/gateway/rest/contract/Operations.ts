/** The operations of the description of REST, and whether an answer is one that it tells of. */
import { document } from "@venue/api/rest/Document"
import { ruleOf } from "@venue/auth/access/Permission"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import type { OpenApi } from "effect/http-api"
import type { Answer } from "../RestClient.ts"

export type Parameter = OpenApi.OpenAPISpecOperation["parameters"][number]

export interface Operation {
  /** Such as `GET /candles/{symbol}`. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
  /** The schema of what is sent; undefined where nothing is. */
  readonly body: object | undefined
  /** What it may be asked with; by anybody where there is none. */
  readonly via: ReadonlyArray<"hmac" | "jwt">
  readonly statuses: ReadonlyArray<number>
  readonly responses: OpenApi.OpenAPISpecOperation["responses"]
}

/** As the addresses of these tests serve it, but for where they are. */
export const spec = document({ brand: "acme", baseUrl: "http://venue.test", accessOf: ruleOf })

export const operations: ReadonlyArray<Operation> = Object.entries(spec.paths).flatMap(([path, item]) =>
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

/** What is not as the description has it; undefined when all is. */
export const faultOf = ({ name, responses }: Operation, answer: Answer): string | undefined => {
  const { headers, status, text } = answer
  const wrong = (what: string) => `${name}: ${status} ${what}: ${text.slice(0, 500)}`
  const response = responses[status]
  if (response === undefined) return wrong("is not described")
  const types = Object.keys(response.content ?? {})
  if (types.length === 0) return text === "" ? undefined : wrong("has a body")
  const type = headers.get("content-type") ?? "none"
  const content = response.content?.[type as keyof typeof response.content]
  if (content === undefined) return wrong(`is ${type} in place of ${types.join(" or ")}`)
  return /^application\/(problem\+)?json$/.test(type) ? bodyFault(content.schema, answer.body, wrong) : undefined
}

const bodyFault = (schema: object, body: unknown, wrong: (what: string) => string) => {
  const validate = validatorOf(schema)
  return validate(body) ? undefined : wrong(`is not as its schema has it (${ajv.errorsText(validate.errors)})`)
}

const formats = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  date: /^\d{4}-\d\d-\d\d$/,
  uri: /^[a-z][a-z\d+.-]*:\S+$/i
}

const ajv = new Ajv2020({ strict: false, allErrors: true, formats })
const validators = new Map<object, ValidateFunction>()

export const validatorOf = (schema: object): ValidateFunction => {
  const known = validators.get(schema)
  if (known !== undefined) return known
  const made = ajv.compile({ ...schema, components: spec.components })
  validators.set(schema, made)
  return made
}
