/** `POST` and `GET /user/builder-code`: how a builder and the venue share the fees that the builder brings. */
import { FeeShare } from "@venue/domain/FeeShare"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Conflict, NotFound, ServiceUnavailable } from "../Problem.ts"
import { Moment, NumberOrText, SchemaLink, Uuid } from "../Body.ts"
import { type Member, memberName } from "../Brand.ts"
import { instant } from "../Digits.ts"
import { gotNumber } from "../Fault.ts"
import { Authenticated } from "./Caller.ts"
import { operation } from "../Operation.ts"

const { builderBps, venueBps } = FeeShare.fields

/** A request has them under the operator's prefix or the neutral one. */
export const brandedMembers: ReadonlyArray<Member> = ["svc_fee_share_bps"]

export const CreateBuilderCodeRequestBody = Schema.Struct({
  $schema: SchemaLink,
  svc_fee_share_bps: NumberOrText(venueBps).annotate({
    description: "Share of the venue in each fee, in basis points.",
    examples: [5000]
  }),
  builder_fee_share_bps: NumberOrText(builderBps).annotate({
    description: "Share of the builder in each fee, in basis points.",
    examples: [3000]
  })
})
  .annotate({ description: "How the fees of orders with the code are divided: shares of at most 10000 together." })
  .check(Schema.makeFilter(sharesFault, { expected: "shares of at most 10000 together" }))
  .annotate({ identifier: "CreateBuilderCodeRequestBody" })

/** Two of its members carry the operator's prefix: `builderCodeBody` names them. */
export const BuilderCodeBody = Schema.Struct({
  $schema: SchemaLink,
  builder_code: Uuid.annotate({ description: "Code that orders carry." }),
  svc_fee_share_bps: Schema.Int.annotate({ description: "Share of the venue in each fee, in basis points." }),
  svc_fee_share_percent: Schema.Finite.annotate({ description: "Share of the venue in each fee, in percent." }),
  builder_fee_share_bps: Schema.Int.annotate({ description: "Share of the builder in each fee, in basis points." }),
  builder_fee_share_percent: Schema.Finite.annotate({ description: "Share of the builder in each fee, in percent." }),
  is_active: Schema.Boolean.annotate({ description: "Whether orders with the code earn rewards." }),
  created_at: Moment.annotate({ description: "Time of creation, ISO 8601 in UTC." }),
  updated_at: Moment.annotate({ description: "Time of the last change, ISO 8601 in UTC." })
}).annotate({ identifier: "BuilderCodeBody" })

export const BuilderCodeGroup = HttpApiGroup.make("builderCode")
  .add(
    HttpApiEndpoint.post("createBuilderCode", "/user/builder-code", {
      payload: CreateBuilderCodeRequestBody,
      success: BuilderCodeBody.pipe(HttpApiSchema.status(201)),
      error: [Conflict, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Create a builder code",
        "Creates the one builder code of the user, with the shares of the fees that its orders pay. Refused " +
          "with 409 if the user has a code already, and with 422 if a share is out of bounds or both exceed " +
          "10000 together."
      )
    ),
    HttpApiEndpoint.get("builderCode", "/user/builder-code", {
      success: BuilderCodeBody,
      error: [NotFound, ServiceUnavailable]
    }).annotateMerge(
      operation("Get the builder code", "Returns the builder code of the user. Refused with 404 if the user has none.")
    )
  )
  .middleware(Authenticated)

export const builderCodeBody = (
  brand: string,
  code: FeeShare & {
    readonly builderCode: string
    readonly active: boolean
    readonly createdAtMillis: number
    readonly updatedAtMillis: number
  }
): Readonly<Record<string, string | number | boolean>> => ({
  builder_code: code.builderCode,
  [memberName(brand, "svc_fee_share_bps")]: code.venueBps,
  [memberName(brand, "svc_fee_share_percent")]: code.venueBps / 100,
  builder_fee_share_bps: code.builderBps,
  builder_fee_share_percent: code.builderBps / 100,
  is_active: code.active,
  created_at: instant(code.createdAtMillis),
  updated_at: instant(code.updatedAtMillis)
})

/** All of a fee. */
const wholeBps = 10_000

/** Undefined where they are right; each by itself is. */
function sharesFault(body: Parameters<typeof feeShareOf>[0]): string | undefined {
  const { builderBps, venueBps } = feeShareOf(body)
  if (venueBps + builderBps <= wholeBps) return undefined
  const near = wholeBps - venueBps
  const got = gotNumber(venueBps + builderBps, undefined)
  return `Expected shares of at most ${wholeBps} together${got}; the nearest builder_fee_share_bps is ${near}`
}

export function feeShareOf(body: {
  readonly svc_fee_share_bps: number
  readonly builder_fee_share_bps: number
}): FeeShare {
  return { venueBps: body.svc_fee_share_bps, builderBps: body.builder_fee_share_bps }
}
