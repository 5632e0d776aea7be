/** Summary and description of an endpoint. */
import { OpenApi } from "effect/http-api"

/** Annotates an endpoint: the summary has no full stop; the description states the effect and the refusals. */
export const operation = (summary: string, description: string) => OpenApi.annotations({ summary, description })
