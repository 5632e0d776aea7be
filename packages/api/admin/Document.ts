/** Builds the OpenAPI document of the operator interface. */
import type { OpenApi } from "effect/http-api"
import { beyondOperations, described, exemplified } from "../OpenApi.ts"
import { AdminApi } from "./Api.ts"
import examples from "./Examples.json" with { type: "json" }

/** Builds the OpenAPI document of the operator interface, with an example of every body. */
export const document = (baseUrl: string): OpenApi.OpenAPISpec => {
  const spec = described(AdminApi)
  return {
    ...spec,
    info: {
      ...spec.info,
      description: `Amounts are in USD unless a description states another unit. ${beyondOperations} Problems are explained at ${baseUrl}/problems/.`
    },
    servers: [{ url: baseUrl }],
    components: { ...spec.components, schemas: exemplified(spec.components.schemas, examples) }
  }
}
