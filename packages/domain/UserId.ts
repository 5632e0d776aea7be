/** User ids. */
import { Schema } from "effect"

/** Id that the venue assigns to a user at registration. */
export const UserId = Schema.String.pipe(Schema.brand("UserId"))
export type UserId = typeof UserId.Type
