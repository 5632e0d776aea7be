/** Users' invitation codes, and the volume of referred users (rule 13). */
import * as Text from "@venue/domain/Text"
import { instant } from "../Digits.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Moment, RowCount, Rows, SchemaLink, Uuid } from "../Body.ts"
import * as OptionalBody from "../OptionalBody.ts"
import { BadRequest, Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { Repeated, repeatable } from "../Repeatable.ts"
import { Authenticated } from "./Caller.ts"
import { operation } from "../Operation.ts"

/** Code as typed by a user: Crockford's base 32 in any letter case, with I and L for 1 and O for 0. */
export const TypedCode = Schema.String.check(
  Text.matches("^[0-9A-TV-Za-tv-z]{10}$", "ten characters of Crockford's base 32: digits and letters other than U")
)

/** Returns the stored form of a typed code. */
export const codeOf = (typed: string): string => typed.toUpperCase().replaceAll(/[IL]/g, "1").replaceAll("O", "0")

/** Stored code: ten characters of Crockford's base 32, in any letter case. */
export const Code = Schema.String.check(
  Text.matches("^[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{10}$", "ten characters of Crockford's base 32")
)

/** A user's invitation code. */
export const InvitationCode = Schema.Struct({
  code: Code.annotate({ description: "Invitation code that a new user can redeem." }),
  created_at: Moment.annotate({ description: "Time of creation, ISO 8601 in UTC." }),
  redeemed_at: Schema.NullOr(Moment).annotate({
    description: "Time of redemption, ISO 8601 in UTC; null if not redeemed."
  }),
  redeemed_by: Schema.NullOr(Uuid).annotate({
    description: "Id of the user who redeemed the code; null if not redeemed."
  })
}).annotate({ identifier: "InvitationCode", description: "Invitation code of a user." })

/** Body of `POST /user/invitation-codes/job`. */
export const InvitationJobRequestBody = Schema.Struct({ $schema: SchemaLink }).annotate({
  identifier: "InvitationJobRequestBody"
})

const ownVolumes = {
  self_lifetime_notional_volume: Schema.Finite.annotate({
    description: "Total notional that the user has ever traded on all accounts, in USD."
  }),
  self_notional_volume: Schema.Finite.annotate({
    description: "Notional that the user traded on all accounts in the last 14 days, in USD."
  })
}

/** Response body of `POST /user/invitation-codes/job`. */
export const InvitationJobResponseBody = Schema.Struct({
  $schema: SchemaLink,
  qualified: Schema.Boolean.annotate({
    description: "Whether the traded notional qualifies the user for invitation codes."
  }),
  ...ownVolumes,
  required_lifetime_notional_volume: Schema.Finite.annotate({
    description: "Traded notional required for invitation codes, in USD."
  }),
  codes_issued: Schema.Int.annotate({
    description: "Number of invitation codes issued to the user so far."
  }),
  codes: Rows(InvitationCode).annotate({ description: "Invitation codes of the user." })
}).annotate({ identifier: "InvitationJobResponseBody" })

/** Response body of `GET /user/invitation-codes`. */
export const InvitationCodesResponseBody = Schema.Struct({
  $schema: SchemaLink,
  count: RowCount,
  data: Rows(InvitationCode).annotate({ description: "Invitation codes of the user." })
}).annotate({ identifier: "InvitationCodesResponseBody" })

/** Response body of `GET /user/referrals/notional-volume`. */
export const ReferralVolumeResponseBody = Schema.Struct({
  $schema: SchemaLink,
  ...ownVolumes,
  referred_notional_volume: Schema.Finite.annotate({
    description: "Notional traded by the users whom the user referred, in USD."
  }),
  referred_users: Schema.Int.annotate({ description: "Number of users who redeemed one of the user's codes." }),
  qualified: Schema.Boolean.annotate({
    description: "Whether the traded notional qualifies the user for invitation codes."
  })
}).annotate({ identifier: "ReferralVolumeResponseBody" })

/** Body of `POST /user/invitation-codes/redeem`. */
export const RedeemCodeRequestBody = Schema.Struct({
  $schema: SchemaLink,
  code: TypedCode.annotate({
    description: "Another user's invitation code: ten characters of Crockford's base 32, in any letter case.",
    examples: ["7K3M9QX2BD"]
  })
}).annotate({
  identifier: "RedeemCodeRequestBody"
})

/** Response body of `POST /user/invitation-codes/redeem`. */
export const RedeemCodeResponseBody = Schema.Struct({
  $schema: SchemaLink,
  referrer_user_id: Uuid.annotate({ description: "Id of the code's owner." })
}).annotate({
  identifier: "RedeemCodeResponseBody"
})

export const InvitationsGroup = HttpApiGroup.make("invitations")
  .add(
    HttpApiEndpoint.post("issueCodes", "/user/invitation-codes/job", {
      payload: OptionalBody.orNone(InvitationJobRequestBody),
      success: InvitationJobResponseBody,
      error: ServiceUnavailable
    })
      .annotateMerge(
        operation(
          "Issue invitation codes",
          "Creates five invitation codes if the user has traded at least 100,000 USD and has no codes yet, and returns " +
            "all codes of the user."
        )
      )
      .annotate(OpenApi.Transform, OptionalBody.described),
    HttpApiEndpoint.get("invitationCodes", "/user/invitation-codes", {
      success: InvitationCodesResponseBody,
      error: ServiceUnavailable
    }).annotateMerge(
      operation(
        "List invitation codes",
        "Returns the invitation codes of the user, with the time and user of each redemption."
      )
    ),
    HttpApiEndpoint.get("referralVolume", "/user/referrals/notional-volume", {
      success: ReferralVolumeResponseBody,
      error: ServiceUnavailable
    }).annotateMerge(
      operation(
        "Get referral volume",
        "Returns the notional traded by the user and by the users whom the user referred."
      )
    ),
    HttpApiEndpoint.post("redeemCode", "/user/invitation-codes/redeem", {
      headers: repeatable,
      payload: RedeemCodeRequestBody,
      success: Repeated(RedeemCodeResponseBody),
      error: [BadRequest, NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation(
        "Redeem an invitation code",
        "Makes the owner of the code the referrer of the user. Refused with 404 for a code that is unknown or " +
          "already redeemed, with 400 for the user's own code, and with 409 if the user already has a referrer or " +
          "has traded."
      )
    )
  )
  .middleware(Authenticated)

interface Issued {
  readonly code: string
  readonly createdAtMillis: number
  readonly heldFor: string | null
  readonly redeemedAtMillis: number | null
}

/** Converts a code to its wire format. */
export const invitationCode = ({
  code,
  createdAtMillis,
  heldFor,
  redeemedAtMillis
}: Issued): typeof InvitationCode.Type => ({
  code,
  created_at: instant(createdAtMillis),
  redeemed_at: redeemedAtMillis === null ? null : instant(redeemedAtMillis),
  redeemed_by: redeemedAtMillis === null ? null : heldFor
})
