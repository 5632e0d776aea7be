/** Gzip compression of answers of 1 KiB and more, for clients that accept it; streams are compressed part by part. */
import { Effect } from "effect"
import { HttpMiddleware, HttpPlatform, type HttpServerRequest, type HttpServerResponse } from "effect/http"

type App<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

export type Gzip = <E, R>(app: App<E, R>) => App<E, R | HttpServerRequest.HttpServerRequest>

/** Returns the middleware. Level 1 gives most of the compression at the lowest CPU cost. */
export const on =
  (platform: HttpPlatform.HttpPlatform["Service"]): Gzip =>
  (app) =>
    Effect.provideService(gzipped(app), HttpPlatform.HttpPlatform, platform)

const gzipped = HttpMiddleware.compression({ algorithms: ["gzip"], minSize: 1_024, levels: { gzip: 1 } })
