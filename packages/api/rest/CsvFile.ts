/** Responses of operations that return a whole table as a CSV file. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { BadRequest, ServiceUnavailable, TooManyRequests } from "../Problem.ts"

/** Content type of a CSV file. */
export const csvType = "text/csv; charset=utf-8"

/** Response and problems of a download. */
export const csvAnswer = {
  success: HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array({ contentType: csvType }), {
    "content-disposition": Schema.String.annotate({
      description: 'Name of the file to save, such as `attachment; filename="trades.csv"`.'
    })
  }),
  error: [BadRequest, TooManyRequests, ServiceUnavailable]
} as const

/** Returns the header that sets the file's name. */
export const attachment = (name: string) => ({ "content-disposition": `attachment; filename="${name}"` }) as const
