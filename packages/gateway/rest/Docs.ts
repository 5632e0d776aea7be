/** Handles `GET /docs`, a page for reading about and trying the API. The page loads nothing from other hosts. */
import { Api } from "@venue/api/rest/Api"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiSwagger, OpenApi } from "effect/http-api"
import { createHash } from "node:crypto"
import type { Route } from "../http/Gate.ts"

const path = "/docs"

export const route: Route = { method: "GET", path }

/** Renders `spec` instead of the description that the library derives from the API. */
export const layer = (spec: OpenApi.OpenAPISpec) =>
  HttpApiSwagger.layer(
    Api.annotate(OpenApi.Transform, () => spec),
    { path }
  ).pipe(Layer.provide(guarded.layer))

/** Computes the policy once, since the page never changes. */
const guarded = HttpRouter.middleware(
  Effect.sync(() => {
    let kept: HttpServerResponse.HttpServerResponse | undefined
    return (page) => Effect.map(page, (served) => (kept ??= HttpServerResponse.setHeaders(served, headersOf(served))))
  })
)

const headersOf = ({ body }: HttpServerResponse.HttpServerResponse) => ({
  "cache-control": "public, max-age=300",
  "content-security-policy": policyOf(body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""),
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
})

/** Allows only the page's own inline scripts and styles, identified by their hashes. */
const policyOf = (html: string): string =>
  [
    "default-src 'none'",
    `script-src ${hashesOf(html, "script")}`,
    `style-src ${hashesOf(html, "style")}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

const hashesOf = (html: string, element: "script" | "style"): string =>
  Array.from(html.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, "gs")), ([, text = ""]) => {
    const hash = createHash("sha256").update(text).digest("base64")
    return `'sha256-${hash}'`
  }).join(" ")
