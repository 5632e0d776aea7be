/** `POST` and `GET /user/builder-code`: a user's builder code, with the builder's and the venue's shares of fees. */
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

/** Request members that have the operator's prefix or the neutral prefix. */
export const brandedMembers: ReadonlyArray<Member> = ["svc_fee_share_bps"]

/** Body of `POST /user/builder-code`. */
export const CreateBuilderCodeRequestBody = Schema.Struct({
  $schema: SchemaLink,
  svc_fee_share_bps: NumberOrText(venueBps).annotate({
    description: "Venue's share of each fee, in basis points.",
    examples: [5000]
  }),
  builder_fee_share_bps: NumberOrText(builderBps).annotate({
    description: "Builder's share of each fee, in basis points.",
    examples: [3000]
  })
})
  .annotate({
    description:
      "Division of each fee between the builder and the venue: shares that add up to at most 10000 basis points."
  })
  .check(Schema.makeFilter(sharesFault, { expected: "shares that add up to at most 10000 basis points" }))
  .annotate({ identifier: "CreateBuilderCodeRequestBody" })

/** Builder code; `builderCodeBody` gives two of its members the operator's prefix. */
export const BuilderCodeBody = Schema.Struct({
  $schema: SchemaLink,
  builder_code: Uuid.annotate({ description: "Builder code to send with orders." }),
  svc_fee_share_bps: Schema.Int.annotate({ description: "Venue's share of each fee, in basis points." }),
  svc_fee_share_percent: Schema.Finite.annotate({ description: "Venue's share of each fee, in percent." }),
  builder_fee_share_bps: Schema.Int.annotate({ description: "Builder's share of each fee, in basis points." }),
  builder_fee_share_percent: Schema.Finite.annotate({ description: "Builder's share of each fee, in percent." }),
  is_active: Schema.Boolean.annotate({ description: "Whether orders with the code earn rewards for the builder." }),
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
        "Creates the user's only builder code, with the builder's and the venue's shares of the fees. Refused with 409 " +
          "if the user already has a code, and with 422 if a share is out of bounds or the shares exceed 10000 basis " +
          "points together."
      )
    ),
    HttpApiEndpoint.get("builderCode", "/user/builder-code", {
      success: BuilderCodeBody,
      error: [NotFound, ServiceUnavailable]
    }).annotateMerge(
      operation("Get the builder code", "Returns the user's builder code. Refused with 404 if the user has no code.")
    )
  )
  .middleware(Authenticated)

/** Returns a builder code with the operator's prefix on its members. */
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

/** A whole fee, in basis points. */
const wholeBps = 10_000

/** Returns a fault if the two shares together exceed a whole fee, or undefined for valid shares. */
function sharesFault(body: Parameters<typeof feeShareOf>[0]): string | undefined {
  const { builderBps, venueBps } = feeShareOf(body)
  if (venueBps + builderBps <= wholeBps) return undefined
  const near = wholeBps - venueBps
  const got = gotNumber(venueBps + builderBps, undefined)
  return `Expected shares that add up to at most ${wholeBps} basis points${got}; the nearest builder_fee_share_bps is ${near}`
}

/** Returns the shares of a request. */
export function feeShareOf(body: {
  readonly svc_fee_share_bps: number
  readonly builder_fee_share_bps: number
}): FeeShare {
  return { venueBps: body.svc_fee_share_bps, builderBps: body.builder_fee_share_bps }
}
