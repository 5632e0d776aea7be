/** Codes that users give to others, and what those trade whom they brought (rule 13). */
import * as Text from "@venue/domain/Text"
import { instant } from "../Digits.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Moment, Rows, SchemaLink, Uuid } from "../Body.ts"
import * as OptionalBody from "../OptionalBody.ts"
import { BadRequest, Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { Repeated, repeatable } from "../Repeatable.ts"
import { Authenticated } from "./Caller.ts"

/** A code as a user types it: Crockford's base 32 reads I and L as 1 and O as 0, in any letter case. */
export const TypedCode = Schema.String.check(
  Text.matches("^[0-9A-TV-Za-tv-z]{10}$", "ten letters and digits other than U, of Crockford's base 32")
)

/** Returns a typed code in the form in which codes are kept. */
export const codeOf = (typed: string): string => typed.toUpperCase().replaceAll(/[IL]/g, "1").replaceAll("O", "0")

/** Ten characters of Crockford's base 32, in any letter case. */
export const Code = Schema.String.check(
  Text.matches("^[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{10}$", "ten characters of Crockford's base 32")
)

export const InvitationCode = Schema.Struct({
  code: Code,
  created_at: Moment,
  redeemed_at: Schema.NullOr(Moment),
  redeemed_by: Schema.NullOr(Uuid)
}).annotate({ identifier: "InvitationCode" })

export const InvitationJobRequestBody = Schema.Struct({ $schema: SchemaLink }).annotate({
  identifier: "InvitationJobRequestBody"
})

const ownVolumes = { self_lifetime_notional_volume: Schema.Finite, self_notional_volume: Schema.Finite }

export const InvitationJobResponseBody = Schema.Struct({
  $schema: SchemaLink,
  qualified: Schema.Boolean,
  ...ownVolumes,
  required_lifetime_notional_volume: Schema.Finite,
  codes_issued: Schema.Int,
  codes: Rows(InvitationCode)
}).annotate({ identifier: "InvitationJobResponseBody" })

export const InvitationCodesResponseBody = Schema.Struct({
  $schema: SchemaLink,
  count: Schema.Int,
  data: Rows(InvitationCode)
}).annotate({ identifier: "InvitationCodesResponseBody" })

export const ReferralVolumeResponseBody = Schema.Struct({
  $schema: SchemaLink,
  ...ownVolumes,
  referred_notional_volume: Schema.Finite,
  referred_users: Schema.Int,
  qualified: Schema.Boolean
}).annotate({ identifier: "ReferralVolumeResponseBody" })

export const RedeemCodeRequestBody = Schema.Struct({ $schema: SchemaLink, code: TypedCode }).annotate({
  identifier: "RedeemCodeRequestBody"
})

export const RedeemCodeResponseBody = Schema.Struct({ $schema: SchemaLink, referrer_user_id: Uuid }).annotate({
  identifier: "RedeemCodeResponseBody"
})

export const InvitationsGroup = HttpApiGroup.make("invitations")
  .add(
    HttpApiEndpoint.post("issueCodes", "/user/invitation-codes/job", {
      payload: OptionalBody.orNone(InvitationJobRequestBody),
      success: InvitationJobResponseBody,
      error: ServiceUnavailable
    }).annotate(OpenApi.Transform, OptionalBody.described),
    HttpApiEndpoint.get("invitationCodes", "/user/invitation-codes", {
      success: InvitationCodesResponseBody,
      error: ServiceUnavailable
    }),
    HttpApiEndpoint.get("referralVolume", "/user/referrals/notional-volume", {
      success: ReferralVolumeResponseBody,
      error: ServiceUnavailable
    }),
    HttpApiEndpoint.post("redeemCode", "/user/invitation-codes/redeem", {
      headers: repeatable,
      payload: RedeemCodeRequestBody,
      success: Repeated(RedeemCodeResponseBody),
      error: [BadRequest, NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    })
  )
  .middleware(Authenticated)

interface Issued {
  readonly code: string
  readonly createdAtMillis: number
  readonly heldFor: string | null
  readonly redeemedAtMillis: number | null
}

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
