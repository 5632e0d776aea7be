/** Client for the main REST interface, with one method per operation and one error per problem. */
import { headerName, neutralBrand } from "@venue/api/Headers"
import { Api } from "@venue/api/rest/Api"
import { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import type { Credentials } from "./Credentials.ts"

/** URL, credentials and account. */
export interface RestClientOptions {
  readonly url: string
  /** Required for operations that are not public. */
  readonly credentials?: Credentials
  /** Account to act on; default: the primary account. */
  readonly accountId?: string
  readonly brand?: string
}

/** REST client with one method per operation, in groups. */
export type RestClient = Effect.Success<ReturnType<typeof make>>

/** Returns a client. A request without a response fails after 15 s; its outcome is then unknown. */
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
