/** Handles the endpoints for invitation codes and for the volume of referred users. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { Caller } from "@venue/api/rest/Caller"
import { codeOf, invitationCode } from "@venue/api/rest/Invitations"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { dayOf } from "@venue/domain/Day"
import { decimalOfMoney } from "@venue/domain/Decimal"
import { codesOfUser, qualifyingVolume, recentDays } from "@venue/domain/Referral"
import type { UserId } from "@venue/domain/UserId"
import { InvitationCodes } from "@venue/storage/access/InvitationCodes"
import * as DailyVolumes from "@venue/storage/history/DailyVolumes"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { Clock, Effect } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { unconfirmed } from "../http/Refusal.ts"
import * as Repeatable from "../http/Repeatable.ts"

export const layer = group(
  Api,
  "invitations",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const codes = yield* InvitationCodes
    const random = yield* SecureRandom.SecureRandom
    const redeem = yield* makeRedeem
    const volumes = yield* makeVolumes
    const refusals = yield* apiProblems
    const unavailable = { DatabaseUnavailable: () => Effect.fail(refusals.draining()) }

    return handlers
      .handle(
        "issueCodes",
        Effect.fnUntraced(function* () {
          const { userId } = yield* Caller
          const own = yield* volumes.own(userId)
          if (own.qualified) yield* codes.issue(userId, yield* newCodes(random))
          const issued = yield* codes.ofUser(userId)
          return {
            $schema: schemaUri(baseUrl, "InvitationJobResponseBody"),
            ...own,
            required_lifetime_notional_volume: decimalOfMoney(qualifyingVolume),
            codes_issued: issued.length,
            codes: issued.map(invitationCode)
          }
        }, Effect.catchTags(unavailable))
      )
      .handle(
        "invitationCodes",
        Effect.fnUntraced(function* () {
          const { userId } = yield* Caller
          const issued = yield* codes.ofUser(userId)
          return {
            $schema: schemaUri(baseUrl, "InvitationCodesResponseBody"),
            count: issued.length,
            data: issued.map(invitationCode)
          }
        }, Effect.catchTags(unavailable))
      )
      .handle(
        "referralVolume",
        Effect.fnUntraced(function* () {
          const { userId } = yield* Caller
          const brought = yield* codes.referredBy([userId])
          return {
            $schema: schemaUri(baseUrl, "ReferralVolumeResponseBody"),
            ...(yield* volumes.own(userId)),
            referred_notional_volume: decimalOfMoney(yield* volumes.ofAll(brought.map((referral) => referral.userId))),
            referred_users: brought.length
          }
        }, Effect.catchTags(unavailable))
      )
      .handle(
        "redeemCode",
        Effect.fnUntraced(
          function* ({ headers, payload }) {
            const { userId } = yield* Caller
            const { isRepeat, referrerId } = yield* redeem(userId, codeOf(payload.code), headers)
            const $schema = schemaUri(baseUrl, "RedeemCodeResponseBody")
            return Repeatable.answer({ $schema, referrer_user_id: referrerId }, isRepeat)
          },
          Effect.catchTags({
            ...unavailable,
            UnknownInvitationCode: ({ code }) => Effect.fail(refusals.unknownInvitationCode(code)),
            OwnInvitationCode: () => Effect.fail(refusals.ownInvitationCode()),
            AlreadyReferred: () => Effect.fail(refusals.alreadyReferred()),
            HasTraded: () => Effect.fail(refusals.hasTraded()),
            RequestKeyReused: () => Effect.fail(refusals.keyReused()),
            ...unconfirmed(refusals)
          })
        )
      )
  })
)

/** Reserves the code for the user, then records the referral in the user's journal. */
const makeRedeem = Effect.gen(function* () {
  const codes = yield* InvitationCodes
  const desks = yield* DeskClient
  return Effect.fnUntraced(function* (
    userId: UserId,
    code: string,
    headers: Parameters<typeof Repeatable.requestOf>[2]
  ) {
    const referrerId = yield* codes.hold(code, userId)
    const request = Repeatable.requestOf(userId, "POST /user/invitation-codes/redeem", headers, [code])
    const redeem = { userId, cost: noCost, code, referrerId, ...(request && { request }) }
    const isRepeat = yield* Repeatable.isRepeat(desks.ask(userId, (desk) => desk.RedeemCode(redeem))).pipe(
      // The journal has no referral with this code, so the code is released.
      Effect.tapError(({ _tag }) =>
        _tag === "AlreadyReferred" || _tag === "HasTraded" ? codes.release(code, userId) : Effect.void
      )
    )
    return { referrerId, isRepeat }
  })
})

/** Traded volumes of users, from the daily rows in the tables for queries. */
const makeVolumes = Effect.gen(function* () {
  const tables = yield* ReadTables
  const between = (userIds: ReadonlyArray<UserId>, fromDay: number, beforeDay: number) =>
    userIds.length === 0
      ? Effect.succeed(0n)
      : Effect.map(tables.read(DailyVolumes.ofUsers(userIds, fromDay, beforeDay)), (sums) =>
          sums.reduce((total, { volume }) => total + volume, 0n)
        )
  const upToNow = Effect.map(Clock.currentTimeMillis, (nowMillis) => dayOf(nowMillis) + 1)
  return {
    own: Effect.fnUntraced(function* (userId: UserId) {
      const tomorrow = yield* upToNow
      const lifetime = yield* between([userId], 0, tomorrow)
      return {
        qualified: lifetime >= qualifyingVolume,
        self_lifetime_notional_volume: decimalOfMoney(lifetime),
        self_notional_volume: decimalOfMoney(yield* between([userId], tomorrow - recentDays, tomorrow))
      }
    }),
    ofAll: (userIds: ReadonlyArray<UserId>) => Effect.flatMap(upToNow, (tomorrow) => between(userIds, 0, tomorrow))
  }
})

/** Returns new codes. Five bits of each random byte select a character. */
const newCodes = (random: SecureRandom.SecureRandom["Service"]) =>
  Effect.map(random.randomBytes(codesOfUser * codeLength), (bytes) => {
    const text = Array.from(bytes, (byte) => alphabet[byte & 31]).join("")
    return Array.from({ length: codesOfUser }, (_, index) => text.slice(index * codeLength, (index + 1) * codeLength))
  })

const codeLength = 10
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
