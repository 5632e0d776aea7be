/** Schemas that many REST bodies are made of. */
import { Schema } from "effect"

/** Accepted and ignored in requests, a link to its own description in answers. */
export const SchemaLink = Schema.optionalKey(Schema.String.annotate({ format: "uri", readOnly: true }))

/** Arrays may be `null` in the description; we send none that are. */
export const Rows = <S extends Schema.Top>(row: S) => Schema.NullOr(Schema.Array(row))

/** ISO 8601 in UTC. */
export const Moment = Schema.String.annotate({ format: "date-time" })

export const Uuid = Schema.String.check(Schema.isUUID())
