/** Words of an endpoint for its description. */
import { OpenApi } from "effect/http-api"

/** The summary is one line without a full stop; the description says what the operation does and what refuses it. */
export const operation = (summary: string, description: string) => OpenApi.annotations({ summary, description })
