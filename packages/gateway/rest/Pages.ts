/** Pages to which response bodies link: problem types, schemas and the OpenAPI document. */
import * as Problem from "@venue/api/Problem"
import { pages } from "@venue/api/ProblemPages"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { OpenApi } from "effect/http-api"
import { ApiBaseUrl } from "../http/ApiBaseUrl.ts"
import type { Route } from "../http/Gate.ts"
import { refusal } from "../http/Refusal.ts"
import * as Docs from "./Docs.ts"

export const routes: ReadonlyArray<Route> = [
  ...descriptionRoutes("/openapi"),
  { method: "GET", path: "/problems/:page" },
  { method: "GET", path: "/schemas/:file" },
  Docs.route
]

export const layer = (specOf: (baseUrl: string) => OpenApi.OpenAPISpec) =>
  Layer.unwrap(
    Effect.map(ApiBaseUrl, (baseUrl) => {
      const spec = specOf(baseUrl)
      const schemas = new Map(
        Object.entries(spec.components.schemas).map(([name, schema]) => [
          `${name}.json`,
          kept({
            $schema: "https://json-schema.org/draft/2020-12/schema",
            $id: Problem.schemaUri(baseUrl, name),
            ...relinked(baseUrl, schema)
          })
        ])
      )
      const problems = new Map<string, HttpServerResponse.HttpServerResponse>(
        Object.entries(pages).map(([page, meaning]) => [page, problemPage(page, meaning)])
      )
      const find = (pages: ReadonlyMap<string, HttpServerResponse.HttpServerResponse>, parameter: string) =>
        Effect.map(
          HttpRouter.params,
          (params) => pages.get(params[parameter] ?? "") ?? refusal(baseUrl, 404, "no-such-path")
        )
      return Layer.mergeAll(
        description("/openapi", spec),
        HttpRouter.add("GET", "/problems/:page", find(problems, "page")),
        HttpRouter.add("GET", "/schemas/:file", find(schemas, "file")),
        Docs.layer(spec)
      )
    })
  )

/** Returns a document's routes, as JSON and as YAML. */
export function descriptionRoutes(path: string): ReadonlyArray<Route> {
  return [
    { method: "GET", path: `${path}.json` },
    { method: "GET", path: `${path}.yaml` }
  ]
}

export const description = (path: `/${string}`, spec: object) => {
  const page = kept(spec)
  return Layer.mergeAll(
    HttpRouter.add("GET", `${path}.json`, page),
    // JSON is valid YAML.
    HttpRouter.add("GET", `${path}.yaml`, HttpServerResponse.setHeader(page, "content-type", "application/yaml"))
  )
}

const caching = { "cache-control": "public, max-age=300" }

const kept = (body: object) => HttpServerResponse.jsonUnsafe(body, { headers: caching })

/** Replaces component references with links to their schema pages. */
const relinked = (baseUrl: string, schema: object): object =>
  JSON.parse(JSON.stringify(schema), (key, value) =>
    key === "$ref" && typeof value === "string"
      ? value.replace(/^#\/components\/schemas\/(.+)$/, (_, name: string) => Problem.schemaUri(baseUrl, name))
      : value
  )

const problemPage = (page: string, meaning: string) =>
  HttpServerResponse.text(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${page}</title></head>` +
      `<body><h1>${page}</h1><p>${meaning}</p></body></html>\n`,
    { contentType: "text/html; charset=utf-8", headers: caching }
  )
