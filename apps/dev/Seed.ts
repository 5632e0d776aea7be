/**
 * A dev venue's initial data: funded and onboarded users, the same after a restart, and futures behind simulated
 * prices.
 */
import { ClientRegistration } from "@venue/auth/oauth/ClientRegistration"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Selectable } from "@venue/domain/Permission"
import type { UserId } from "@venue/domain/UserId"
import * as BuilderAppointment from "@venue/gateway/BuilderAppointment"
import * as SimulatedFutures from "@venue/simulation/prices/SimulatedFutures"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { BuilderCodes } from "@venue/storage/access/BuilderCodes"
import { Identities } from "@venue/storage/access/Identities"
import { OAuthClients } from "@venue/storage/access/OAuthClients"
import { type NewOperator, Operators } from "@venue/storage/access/Operators"
import { Profiles } from "@venue/storage/access/Profiles"
import { Users } from "@venue/storage/access/Users"
import { UserStates } from "@venue/storage/access/UserStates"
import { FuturesReference } from "@venue/storage/prices/FuturesReference"
import { Clock, Effect, Option, Redacted, Schedule } from "effect"
import type { SecretClient, SecretUser } from "./Secrets.ts"
import { addressOf } from "./Wallets.ts"

const usd = 1_000_000n
/** Each demo user's initial balance, in 1e-6 USD. */
const funds = 100_000n * usd
/** Initial balance of the market maker, in 1e-6 USD. Enough to quote every listed market. */
const makerFunds = 50_000_000n * usd

export const makerName = "market-maker"
/** Demo user who owns a builder code, for applications through which others trade. */
export const builderName = "carol"

export const demoNames = ["alice", "bob", builderName]

export const extraNames = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `trader-${index + 1}`)

/** Redirect URI of the demo applications. */
export const redirectUri = "https://app.example/callback"
/** Redirect URI of a widely used command-line client for venues of this kind. */
const loopbackUri = "http://localhost:57423/callback"

export interface Planting {
  readonly people: ReadonlyArray<SecretUser>
  readonly builderCode: string
  /** Version of the terms that the users accept. */
  readonly termsVersion: string
}

/** Creates the initial data. Idempotent. The desks can be on other nodes. */
export const plant = Effect.fn("Seed.plant")(function* ({ builderCode, people, termsVersion }: Planting) {
  yield* Effect.forEach(people, (user) => person(user, termsVersion), { concurrency: 64, discard: true })
  const builder = people.find(({ name }) => name === builderName)
  if (builder !== undefined) yield* build(builder, builderCode)
})

const person = Effect.fnUntraced(function* (user: SecretUser, termsVersion: string) {
  const { name, publicKey, secretKey, userId, walletPrivateKey } = user
  const users = yield* Users
  const keys = yield* ApiKeys
  const identities = yield* Identities
  yield* users.create({ userId, name })
  yield* identities.arrive({ address: addressOf(walletPrivateKey).toLowerCase(), seen: null, userId })
  yield* onboard(userId, termsVersion)
  yield* keys
    .create({
      publicKey,
      userId,
      label: name,
      secret: Redacted.make(secretKey),
      permissions: name === builderName ? [...Selectable.literals, "register_user"] : Selectable.literals,
      scope: "all_accounts"
    })
    .pipe(Effect.catchTag("ApiKeyExists", () => Effect.void))
  yield* credit(userId, name === makerName ? makerFunds : funds)
})

const onboard = Effect.fnUntraced(function* (userId: UserId, termsVersion: string) {
  const states = yield* UserStates
  const state = yield* states.find(userId)
  if (state.identity !== "verified") yield* states.setIdentity(userId, "verified")
  if (state.termsVersion !== termsVersion) yield* states.acceptTerms(userId, termsVersion)
})

const untilDesksAreUp = {
  while: ({ _tag }: { readonly _tag: string }) => _tag === "Unavailable",
  schedule: Schedule.spaced("200 millis")
}

const credit = Effect.fnUntraced(function* (userId: UserId, amount: bigint) {
  const desks = yield* DeskClient
  const credited = desks.ask(userId, (desk) =>
    desk.Credit({
      userId,
      cost: noCost,
      creditId: `dev-start-${userId}`,
      accountId: primaryAccountOf(userId),
      amount,
      reason: "dev start"
    })
  )
  yield* Effect.retry(credited, untilDesksAreUp)
})

/** Creates the builder code, with 30 % of the fees for the builder. */
const build = Effect.fnUntraced(function* ({ name, userId }: SecretUser, builderCode: string) {
  const codes = yield* BuilderCodes
  const profiles = yield* Profiles
  if ((yield* profiles.find(userId)).username === null) yield* profiles.change(userId, { username: name })
  yield* codes
    .create({ builderCode, userId, venueBps: 7_000, builderBps: 3_000, active: true })
    .pipe(Effect.catchTag("BuilderCodeExists", () => Effect.void))
  const code = yield* codes.ofUser(userId)
  const register = yield* BuilderAppointment.registration
  if (Option.isSome(code) && code.value.active) yield* Effect.retry(register(code.value), untilDesksAreUp)
})

/** Second operator, in addition to the holder of the token in the settings, because some actions need two people. */
export const treasurer: NewOperator = {
  name: "treasurer",
  roles: ["treasurer"],
  expiresAtMillis: null,
  needsFactor: false
}

export const appoint = Effect.fn("Seed.appoint")(function* (token: string) {
  const operators = yield* Operators
  yield* operators.add(treasurer, Redacted.make(token)).pipe(Effect.catchTag("OperatorExists", () => Effect.void))
})

/** Records futures for symbols with simulated prices. Keeps recorded values and extends a calendar that has run out. */
export const plantFutures = Effect.fn("Seed.plantFutures")(function* (simulated: ReadonlyArray<MarketSymbol>) {
  const reference = yield* FuturesReference
  const now = yield* Clock.currentTimeMillis
  const recorded = new Set((yield* reference.latest).map(({ symbol }) => symbol))
  for (const symbol of simulated) {
    const calendar = SimulatedFutures.calendarOf(symbol, now)
    if (calendar === undefined) continue
    const [last] = yield* reference.calendar(symbol)
    const fromMillis = Math.max(calendar.activeFromMillis, last?.activeUntilMillis ?? 0)
    if (fromMillis <= now) {
      const next = calendar.futures.filter(({ activeUntilMillis }) => activeUntilMillis > fromMillis)
      yield* reference.setCalendar(symbol, fromMillis, next)
    }
    if (recorded.has(symbol)) continue
    for (const settlement of SimulatedFutures.settlementsOf(symbol, now))
      yield* reference.record({ ...settlement, symbol, futureSymbol: null })
  }
})

/**
 * Registers a public and a confidential application. Keeps those from an earlier start if the database still has
 * them.
 */
export const registerClients = Effect.fn("Seed.registerClients")(function* (known: ReadonlyArray<SecretClient>) {
  const clients = yield* OAuthClients
  const registrations = yield* ClientRegistration
  const kept = yield* Effect.forEach(known, ({ clientId }) => clients.find(clientId))
  if (known.length > 0 && kept.every(Option.isSome)) return known
  const register = (type: "public" | "confidential") =>
    registrations
      .register(
        {
          name: type === "public" ? "Example App" : "Example Service",
          type,
          redirectUris: type === "public" ? [redirectUri, loopbackUri] : [redirectUri],
          logoUri: null,
          clientUri: null,
          allowLoopback: type === "public"
        },
        { actor: "dev", reason: "dev start" }
      )
      .pipe(
        // The id was generated just now, so it cannot exist.
        Effect.catchTag("OAuthClientExists", Effect.die),
        Effect.map(({ client, secret }) => ({
          clientId: client.clientId,
          secret: secret === null ? null : Redacted.value(secret)
        }))
      )
  return yield* Effect.all([register("public"), register("confidential")])
})
