/** The OpenAPI document of the funding interface. */
import { type DocumentOptions, documentOf } from "../OpenApi.ts"
import { TreasuryApi } from "./Api.ts"
import examples from "./Examples.json" with { type: "json" }
import { webhooks } from "./WebhookMessages.ts"

export const document = (options: DocumentOptions) => ({ ...documentOf(TreasuryApi, examples, options), webhooks })
