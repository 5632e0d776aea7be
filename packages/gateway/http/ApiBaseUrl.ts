/** Public base URL of the API that one listener serves, such as `https://api.example.com`. */
import { Context } from "effect"

/**
 * URL without a slash at its end. Problem `type` and `$schema` URIs begin with it. `HttpListener` provides it to the layers of
 * its site, so the REST, treasury and operator APIs of one process each have their own.
 */
export class ApiBaseUrl extends Context.Service<ApiBaseUrl, string>()("@venue/gateway/http/ApiBaseUrl") {}
