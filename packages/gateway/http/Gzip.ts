/** Answers are gzipped for whoever accepts that, from a kilobyte on; what is streamed goes on part by part. */
import { Effect } from "effect"
import { HttpMiddleware, HttpPlatform, type HttpServerRequest, type HttpServerResponse } from "effect/http"

type App<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

export type Gzip = <E, R>(app: App<E, R>) => App<E, R | HttpServerRequest.HttpServerRequest>

/** At the lowest level, which does most of it: the processor is wanted elsewhere. */
export const on =
  (platform: HttpPlatform.HttpPlatform["Service"]): Gzip =>
  (app) =>
    Effect.provideService(gzipped(app), HttpPlatform.HttpPlatform, platform)

const gzipped = HttpMiddleware.compression({ algorithms: ["gzip"], minSize: 1_024, levels: { gzip: 1 } })
