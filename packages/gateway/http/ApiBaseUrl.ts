/** Public base URL of the API that one listener serves, such as `https://api.example.com`. */
import { problems } from "@venue/api/Problem"
import { Context, Effect } from "effect"

/**
 * URL without a trailing slash. Problem `type` and `$schema` URIs begin with this URL. `HttpListener` provides it to
 * the layers of its site, so the REST, treasury and operator APIs of one process each have their own URL.
 */
export class ApiBaseUrl extends Context.Service<ApiBaseUrl, string>()("@venue/gateway/http/ApiBaseUrl") {}

/** Problems of the API, whose `type` and `$schema` URIs begin with its base URL. */
export const apiProblems = Effect.map(ApiBaseUrl, problems)
