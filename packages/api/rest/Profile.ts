/** `GET` and `PATCH /user/profile`: what others see of a user. */
import * as Text from "@venue/domain/Text"
import { Username } from "@venue/domain/Username"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Conflict, ServiceUnavailable } from "../Problem.ts"
import { SchemaLink } from "../Body.ts"
import { Authenticated } from "./Caller.ts"
import { operation } from "../Operation.ts"

/** A host, perhaps its port, and a path: nobody is signed in by it. */
const address = "^https://[a-z0-9.-]+(:[0-9]+)?(/([!-$&-~]|%[0-9a-fA-F]{2})*)?$"

/** Shown by other sites too, so written as a browser would write it, which leaves nothing that it would run. */
const AvatarUrl = Schema.String.annotate({
  description:
    "Address of a picture: https, a host, perhaps a port and a path. It is an address in its normal form, as a browser " +
    "writes it; null removes the picture.",
  format: "uri",
  examples: ["https://pictures.venue.example/alice.png"]
}).check(
  Text.matches(address, "an https address of a host, perhaps with a port and a path, and nothing else"),
  Text.atMost(2_048),
  Schema.makeFilter((text) => [text, `${text}/`].includes(URL.parse(text)?.href ?? ""), {
    expected: "an address in its normal form"
  })
)

export const ProfileBody = Schema.Struct({
  $schema: SchemaLink,
  username: Schema.NullOr(Schema.String).annotate({ description: "Public name of the user; null if none is set." }),
  avatar_url: Schema.NullOr(Schema.String).annotate({
    description: "Address of the user's picture; null if none is set."
  }),
  is_public: Schema.Boolean.annotate({
    description: "Whether anybody may read the user's positions and trades, and see the user on the leaderboard."
  })
}).annotate({ identifier: "ProfileBody" })

/** What is left out stays as it is; an avatar of `null` is taken away. */
export const ChangeProfileRequestBody = Schema.Struct({
  $schema: SchemaLink,
  username: Schema.optionalKey(Username),
  avatar_url: Schema.optionalKey(Schema.NullOr(AvatarUrl)),
  is_public: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Whether anybody may read the user's positions." })
  )
}).annotate({
  identifier: "ChangeProfileRequestBody",
  description: "Changes of a profile. Members that are left out stay as they are."
})

export const ProfileGroup = HttpApiGroup.make("profile")
  .add(
    HttpApiEndpoint.get("profile", "/user/profile", { success: ProfileBody, error: ServiceUnavailable }).annotateMerge(
      operation("Get the profile", "Returns what others may see of the user.")
    ),
    HttpApiEndpoint.patch("changeProfile", "/user/profile", {
      payload: ChangeProfileRequestBody,
      success: ProfileBody,
      error: [Conflict, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Change the profile",
        "Changes the members that are sent and returns the whole profile. Refused with 409 if the username is " +
          "taken, and with 422 for a value of another form."
      )
    )
  )
  .middleware(Authenticated)
