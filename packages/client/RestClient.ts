/** REST of a venue as its description has it: each endpoint a method, each refusal an error. */
import { headerName, neutralBrand } from "@venue/api/Headers"
import { Api } from "@venue/api/rest/Api"
import { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import type { Credentials } from "./Credentials.ts"

export interface RestClientOptions {
  readonly url: string
  /** Without them only what is public answers. */
  readonly credentials?: Credentials
  /** A subaccount; the primary account otherwise. */
  readonly accountId?: string
  readonly brand?: string
}

export type RestClient = Effect.Success<ReturnType<typeof make>>

/** A request that has no answer in time may still have been done. */
export const make = Effect.fn("RestClient.make")(function* (options: RestClientOptions) {
  const { accountId, brand = neutralBrand, credentials, url } = options
  const named = accountId === undefined ? {} : { [headerName(brand, "requested-account-id")]: accountId }
  const signed = credentials?.headers ?? Effect.succeed({})
  const httpClient = (yield* HttpClient.HttpClient).pipe(
    HttpClient.mapRequestEffect((request) =>
      Effect.map(signed, (headers) => HttpClientRequest.setHeaders(request, { ...named, ...headers }))
    ),
    HttpClient.transformResponse(Effect.timeout("15 seconds"))
  )
  return yield* HttpApiClient.makeWith(Api, { httpClient, baseUrl: url })
})
