/** Documents that the venue publishes, and the Schemas from which they are built. */
import { AdminApi } from "@venue/api/admin/Api"
import type { Message } from "@venue/api/AsyncApi"
import { document as marketData } from "@venue/api/marketData/Document"
import { frames as marketDataFrames } from "@venue/api/marketData/FrameMessage"
import { Subscribe, Unsubscribe } from "@venue/api/marketData/CommandSchema"
import { document as operator } from "@venue/api/admin/Document"
import { ErrorModel } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { document as main } from "@venue/api/rest/Document"
import { commands } from "@venue/api/trade/CommandMessage"
import { document as trade } from "@venue/api/trade/Document"
import { frames as tradeFrames } from "@venue/api/trade/FrameMessage"
import { TreasuryApi } from "@venue/api/treasury/Api"
import { document as funding } from "@venue/api/treasury/Document"
import { messages } from "@venue/api/treasury/WebhookMessages"
import { ruleOf } from "@venue/auth/access/Permission"
import { Schema, SchemaAST } from "effect"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup, HttpApiSchema, type OpenApi } from "effect/http-api"

const options = { brand: "svc", baseUrl: "http://venue.test", accessOf: ruleOf }

export const openApis = { main: main(options), funding: funding(options), operator: operator("http://venue.test") }

export const asyncApis = {
  trade: trade({ brand: "svc", url: "wss://venue.test/trade" }),
  market_data: marketData("wss://venue.test/market-data")
}

/** Schema and its description in a document; `place` names the schema in test output. */
export interface Described {
  readonly place: string
  readonly schema: Schema.Constraint
  readonly documented: unknown
  readonly document: object
}

export const everything = (): ReadonlyArray<Described> => [
  ...ofOperations("main", Api, openApis.main),
  ...ofOperations("funding", TreasuryApi, openApis.funding),
  ...ofOperations("operator", AdminApi, openApis.operator),
  ...messages.map((schema) => ({
    place: "funding: webhooks",
    schema,
    documented: { $ref: `#/components/schemas/${SchemaAST.resolveIdentifier(schema.ast)}` },
    document: openApis.funding
  })),
  ...ofMessages(asyncApis.trade, { ...payloads(commands), ...payloads(tradeFrames) }),
  ...ofMessages(asyncApis.market_data, {
    ...payloads(marketDataFrames),
    subscribe: Subscribe,
    unsubscribe: Unsubscribe
  })
]

const payloads = (messages: Readonly<Record<string, Message>>): Readonly<Record<string, Schema.Constraint>> =>
  Object.fromEntries(Object.entries(messages).map(([name, { payload }]) => [name, payload]))

const ofMessages = (
  document: (typeof asyncApis)["trade"],
  schemas: Readonly<Record<string, Schema.Constraint>>
): ReadonlyArray<Described> =>
  Object.entries(schemas).map(([name, schema]) => ({
    place: name,
    schema,
    documented: document.components.messages[name]?.payload,
    document
  }))

const ofOperations = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  name: string,
  api: HttpApi.HttpApi<Id, Groups>,
  document: OpenApi.OpenAPISpec
): ReadonlyArray<Described> => {
  const places: Array<Described> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const path = endpoint.path.replaceAll(/:(\w+)/g, "{$1}")
      const operation = document.paths[path]?.[endpoint.method.toLowerCase() as "get"]
      const at = (place: string, schema: Schema.Constraint, documented: unknown) =>
        places.push({ place: `${name}: ${endpoint.method} ${path}: ${place}`, schema, documented, document })
      for (const [kind, fields] of [
        ["path", endpoint.params],
        ["query", endpoint.query],
        ["header", endpoint.headers]
      ] as const) {
        for (const [field, schema] of fieldsOf(fields)) {
          const parameter = operation?.parameters.find((candidate) => candidate.name === field && candidate.in === kind)
          at(`${kind} ${field}`, schema, parameter?.schema)
        }
      }
      const content = operation?.requestBody?.content["application/json"]?.schema
      const bodies = payloadsOf(endpoint).filter(({ ast }) => !HttpApiSchema.isNoContent(ast))
      if (bodies.length > 0) at("body", bodies.length === 1 ? bodies[0]! : Schema.Union(bodies), content)
      for (const answer of endpoint.success) {
        const body = HttpApiSchema.isWithHeaders(answer) ? answer.schema : answer
        const documented = Object.entries(operation?.responses ?? {}).filter(([status]) => status.startsWith("2"))
        for (const [status, { content, headers }] of documented) {
          const schema = content?.["application/json"]?.schema
          if (schema !== undefined) at(status, body, schema)
          if (!HttpApiSchema.isWithHeaders(answer)) continue
          for (const [field, header] of fieldsOf(answer.headers))
            at(`${status} ${field}`, header, headers?.[field]?.schema)
        }
      }
    }
  })
  const models = document.components.schemas
  places.push({ place: `${name}: errors`, schema: ErrorModel, documented: models["ErrorModel"], document })
  return places
}

const payloadsOf = ({ payload }: HttpApiEndpoint.Top): ReadonlyArray<Schema.Top> =>
  [...payload.values()].flatMap(({ schemas }) => schemas)

const fieldsOf = (schema: Schema.Constraint | undefined): ReadonlyArray<readonly [string, Schema.Constraint]> =>
  schema?.ast._tag === "Objects"
    ? schema.ast.propertySignatures.map(({ name, type }) => [String(name), Schema.make(type)] as const)
    : []
