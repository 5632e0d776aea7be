/** Test sessions and their refreshes, each session for a separate user. */
import type { Presenter } from "@venue/auth/session/Presenter"
import { type Beginning, SessionTokens } from "@venue/auth/session/SessionTokens"
import { UserId } from "@venue/domain/UserId"
import { Sessions } from "@venue/storage/access/Sessions"
import { Users } from "@venue/storage/access/Users"
import { Effect, Option, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { TestClock } from "effect/testing"
import { decodeJwt } from "jose"

export const start = 1_000_000

/** Presenter at the endpoint for users' own sessions, where no application is involved. */
export const own: Presenter = { clientId: null }

export const begin = (changes: Partial<Beginning> = {}) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const userId = yield* (yield* SecureRandom.SecureRandom).uuidV4()
    yield* (yield* Users).create({ userId: UserId.make(userId), name: "" })
    return yield* again(UserId.make(userId), changes)
  })

export const again = (userId: UserId, changes: Partial<Beginning> = {}) =>
  Effect.flatMap(SessionTokens, (tokens) =>
    tokens.begin({ userId, clientId: null, publicClient: false, scope: null, method: "web3", ...changes })
  )

export const refresh = (token: Redacted.Redacted, by = own) =>
  Effect.flatMap(SessionTokens, (tokens) => tokens.refresh(token, by))

export const refusal = (token: Redacted.Redacted, by = own) =>
  Effect.map(Effect.flip(refresh(token, by)), (refused) =>
    refused._tag === "RefreshRefused" ? refused.reason : refused._tag
  )

export const find = (sessionId: string) =>
  Effect.map(
    Effect.flatMap(Sessions, (sessions) => sessions.find(sessionId)),
    Option.getOrThrow
  )

export const claimsIn = (token: Redacted.Redacted): Readonly<Record<string, unknown>> =>
  decodeJwt(Redacted.value(token))
