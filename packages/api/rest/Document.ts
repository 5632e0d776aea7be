/** The document of the main REST interface. */
import { type DocumentOptions, documentOf } from "../OpenApi.ts"
import { Api } from "./Api.ts"
import { examples } from "./Examples.ts"

export const document = (options: DocumentOptions) => documentOf(Api, examples, options)
