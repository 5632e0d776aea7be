/** What endpoints answer that give a whole table as a file. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { BadRequest, ServiceUnavailable, TooManyRequests } from "../Problem.ts"

export const csvType = "text/csv; charset=utf-8"

export const csvAnswer = {
  success: HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array({ contentType: csvType }), {
    "content-disposition": Schema.String.annotate({ description: "Name of the file." })
  }),
  error: [BadRequest, TooManyRequests, ServiceUnavailable]
} as const

export const attachment = (name: string) => ({ "content-disposition": `attachment; filename="${name}"` }) as const
