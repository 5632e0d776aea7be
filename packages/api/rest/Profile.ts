/** `GET` and `PATCH /user/profile`: a user's public name, picture and visibility. */
import * as Text from "@venue/domain/Text"
import { Username } from "@venue/domain/Username"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Conflict, ServiceUnavailable } from "../Problem.ts"
import { SchemaLink } from "../Body.ts"
import { Authenticated } from "./Caller.ts"
import { operation } from "../Operation.ts"

/** Matches https, a host, an optional port and a path; excludes credentials, query and fragment. */
const address = "^https://[a-z0-9.-]+(:[0-9]+)?(/([!-$&-~]|%[0-9a-fA-F]{2})*)?$"

/** Picture URL in normal form. Other sites display the picture, so the form excludes scripts. */
const AvatarUrl = Schema.String.annotate({
  description:
    "URL of a picture: https, a host, an optional port and a path, at most 2,048 characters. Must be a URL in the " +
    "normalized form that a browser shows. Null removes the picture.",
  format: "uri",
  examples: ["https://pictures.venue.example/alice.png"]
}).check(
  Text.matches(address, "an https URL with only a host, an optional port and a path"),
  Text.atMost(2_048),
  Schema.makeFilter((text) => [text, `${text}/`].includes(URL.parse(text)?.href ?? ""), {
    expected: "a URL in the normalized form that a browser shows"
  })
)

/** Response body of `GET /user/profile` and `PATCH /user/profile`. */
export const ProfileBody = Schema.Struct({
  $schema: SchemaLink,
  username: Schema.NullOr(Schema.String).annotate({ description: "Public name of the user; null if not set." }),
  avatar_url: Schema.NullOr(Schema.String).annotate({
    description: "URL of the user's picture; null if not set."
  }),
  is_public: Schema.Boolean.annotate({
    description: "Whether the user's positions, trades and rank on the leaderboard are public."
  })
}).annotate({ identifier: "ProfileBody" })

/** Changes to a profile. Absent members stay unchanged, and a null avatar removes the picture. */
export const ChangeProfileRequestBody = Schema.Struct({
  $schema: SchemaLink,
  username: Schema.optionalKey(Username),
  avatar_url: Schema.optionalKey(Schema.NullOr(AvatarUrl)),
  is_public: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Whether the user's positions, trades and rank on the leaderboard are public. Default: unchanged."
    })
  )
}).annotate({
  identifier: "ChangeProfileRequestBody",
  description: "Changes to a profile. Omitted members stay unchanged."
})

export const ProfileGroup = HttpApiGroup.make("profile")
  .add(
    HttpApiEndpoint.get("profile", "/user/profile", { success: ProfileBody, error: ServiceUnavailable }).annotateMerge(
      operation("Get the profile", "Returns the public name, picture and visibility of the user.")
    ),
    HttpApiEndpoint.patch("changeProfile", "/user/profile", {
      payload: ChangeProfileRequestBody,
      success: ProfileBody,
      error: [Conflict, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Change the profile",
        "Changes the members in the request and returns the whole profile. Refused with 409 if the username is " +
          "taken, and with 422 for an invalid value."
      )
    )
  )
  .middleware(Authenticated)
