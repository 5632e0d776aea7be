/** Gzip for responses of at least 1 KiB, if the client accepts it. Streamed responses are compressed part by part. */
import { Effect } from "effect"
import { HttpMiddleware, HttpPlatform, type HttpServerRequest, type HttpServerResponse } from "effect/http"

type App<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

export type Gzip = <E, R>(app: App<E, R>) => App<E, R | HttpServerRequest.HttpServerRequest>

/** Returns the middleware. It uses level 1, which gives most of the compression at the lowest CPU cost. */
export const on =
  (platform: HttpPlatform.HttpPlatform["Service"]): Gzip =>
  (app) =>
    Effect.provideService(gzipped(app), HttpPlatform.HttpPlatform, platform)

const gzipped = HttpMiddleware.compression({ algorithms: ["gzip"], minSize: 1_024, levels: { gzip: 1 } })
