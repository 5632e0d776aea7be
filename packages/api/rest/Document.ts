/** Builds the OpenAPI document of the main REST interface. */
import { type DocumentOptions, documentOf } from "../OpenApi.ts"
import { Api } from "./Api.ts"
import examples from "./Examples.json" with { type: "json" }

/** Builds the OpenAPI document of the main REST interface. */
export const document = (options: DocumentOptions) => documentOf(Api, examples, options)
