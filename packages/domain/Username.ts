/** Public usernames. They are in lower case, so that names cannot differ only in letter case. */
import { Schema } from "effect"
import * as Text from "./Text.ts"

/** Names that could be mistaken for the venue, or that paths and labels need. */
const reserved = new Set(
  `admin administrator anonymous api auth billing builder compliance exchange help legal managed me moderator null
   official operator owner risk root security service staff support system team treasury undefined user users venue`.split(
    /\s+/
  )
)

/** Public name of a user. */
export const Username = Schema.String.annotate({
  description:
    "Public name of the user: 3 to 24 characters from a-z, 0-9, underscore and hyphen. Must be a name that is not reserved.",
  examples: ["alice"]
}).check(
  Text.matches("^[a-z0-9_-]{3,24}$", "3 to 24 characters from a-z, 0-9, underscore and hyphen"),
  Schema.makeFilter((name) => !reserved.has(name), { expected: "a name that is not reserved" })
)
