/** `GET /docs`: the description for people to read and try, a page that loads nothing from elsewhere. */
import { Api } from "@venue/api/rest/Api"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiSwagger, OpenApi } from "effect/http-api"
import { createHash } from "node:crypto"
import type { Route } from "../http/Gate.ts"

const path = "/docs"

export const route: Route = { method: "GET", path }

/** The page is made of the API, so the description of this address takes the place of the one that it would make. */
export const layer = (spec: OpenApi.OpenAPISpec) =>
  HttpApiSwagger.layer(
    Api.annotate(OpenApi.Transform, () => spec),
    { path }
  ).pipe(Layer.provide(guarded.layer))

/** The page never changes, and neither does its policy. */
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

/** The page comes in one piece: its own scripts and styles run, known by their hashes, and no others do. */
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
