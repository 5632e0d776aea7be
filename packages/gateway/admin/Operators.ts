/** Authentication of operators by token, their roles, and the helpers that all operator endpoints share. */
import { mayUse, neededFor, needsProof, Operator, OperatorOnly } from "@venue/api/admin/Operator"
import type { Problems, ServiceUnavailable } from "@venue/api/Problem"
import { OperatorTokens } from "@venue/auth/access/OperatorTokens"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { Feed } from "@venue/cluster/feed/Feed"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { firstOperator, type OperatorRole } from "@venue/domain/Operator"
import * as RateLimits from "@venue/domain/RateLimits"
import { isOver } from "@venue/domain/TradingState"
import { Audit, type Deed } from "@venue/storage/access/Audit"
import type { Presented } from "@venue/storage/access/Operators"
import { Clock, Effect, Layer, Option, Redacted, Semaphore } from "effect"
import { HttpServerRequest } from "effect/http"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import * as ClientAddress from "../http/ClientAddress.ts"
import * as Refusal from "../http/Refusal.ts"
import { isSameText } from "../http/SameText.ts"

export const layer = (token: () => Redacted.Redacted) =>
  Layer.effect(
    OperatorOnly,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const tokens = yield* OperatorTokens
      const refusals = yield* apiProblems
      const guesses = RateLimits.make({
        enabled: true,
        nowMillis: () => clock.currentTimeMillisUnsafe(),
        capacity: guessesAtOnce,
        refillMillis: guessesAtOnce * guessMillis
      })
      /**
       * Rejects a wrong token after 1 s. Wrong tokens from one address share a bucket. Valid tokens are not charged and
       * are accepted at once.
       */
      const rejectGuess = Effect.fnUntraced(function* (credential: Redacted.Redacted) {
        const address = ClientAddress.peerOf(yield* HttpServerRequest.HttpServerRequest)
        yield* Refusal.spend(refusals, guesses, ClientAddress.network(address), 1)
        yield* Effect.sleep(guessMillis)
        return yield* refusals.credentialsNotAccepted(Redacted.value(credential) === "" ? missing : unknown)
      })
      const lookUps = Semaphore.makeUnsafe(lookUpsAtOnce)
      const operatorOf = (
        credential: Redacted.Redacted
      ): Effect.Effect<Option.Option<KnownOperator>, ServiceUnavailable> =>
        isSameText(Redacted.value(credential), Redacted.value(token()))
          ? Effect.succeedSome(first)
          : lookUps.withPermit(tokens.find(credential)).pipe(
              Effect.map(Option.map(known)),
              Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
            )
      return OperatorOnly.of({
        operator: Effect.fnUntraced(function* (answer, { credential, endpoint }) {
          const operator = yield* operatorOf(credential)
          if (Option.isNone(operator)) return yield* rejectGuess(credential)
          const { isProven, name, roles } = operator.value
          if (!isProven && needsProof(endpoint)) return yield* refusals.operatorSessionNeeded()
          if (!mayUse(roles, endpoint)) return yield* refusals.roleNeeded(neededFor(endpoint), roles)
          return yield* Effect.provideService(answer, Operator, { name, roles })
        })
      })
    })
  )

const missing = "The operator token is missing; send Authorization: Bearer with an operator token."
const unknown = "The operator token is unknown, expired or renewed, or the operator was dismissed; send a valid token."

interface KnownOperator {
  readonly name: string
  readonly roles: ReadonlyArray<OperatorRole>
  /** Whether the credential suffices: a session, or a token that needs no second factor. */
  readonly isProven: boolean
}

const known = ({ isSession, operator: { name, needsFactor, roles } }: Presented): KnownOperator => ({
  name,
  roles,
  isProven: isSession || !needsFactor
})

/** Operator whose token is in the settings; accepted without a database lookup. */
const first: KnownOperator = { name: firstOperator, roles: ["admin"], isProven: true }
const lookUpsAtOnce = 2
/**
 * Delay before the response to a wrong token. A burst of 10 wrong tokens from an address, and then one a second, get
 * this response; all others get 429.
 */
const guessMillis = 1_000
const guessesAtOnce = 10

/**
 * Records a request in the audit log before it reaches a market. Markets do not wait for database tables, so only
 * this order guarantees an audit entry for every command.
 */
export const makeRecordRequest = Effect.map(
  Audit,
  (audit) => (action: string, subject: string, facts: Deed["facts"]) =>
    Effect.flatMap(Operator, ({ name }) => audit.record({ action, actor: name, subject, facts }))
)

/** Returns the instrument for a symbol in any letter case, or refuses the request. */
export const makeFindListed = Effect.zipWith(VenueSettings, apiProblems, ({ instruments }, refusals) => {
  return (name: string) => {
    const instrument = instruments.get(MarketSymbol.make(name.toUpperCase()))
    return instrument === undefined
      ? Effect.fail(refusals.unknownSymbol(name.toUpperCase()))
      : Effect.succeed(instrument)
  }
})

/** Returns the instrument for a symbol, or refuses the request if the symbol is unknown or delisted (rule 19.3). */
export const makeFindActive = Effect.gen(function* () {
  const feed = yield* Feed
  const findListed = yield* makeFindListed
  const refusals = yield* apiProblems
  return Effect.fnUntraced(function* (name: string) {
    const instrument = yield* findListed(name)
    return hasEnded(feed, instrument.symbol) ? yield* refusals.symbolDelisted(instrument.symbol) : instrument
  })
})

/** Returns each requested symbol once; `*` alone stands for every symbol that is not delisted. */
export const makeFindSymbols = Effect.gen(function* () {
  const feed = yield* Feed
  const { instruments: listed } = yield* VenueSettings
  const findActive = yield* makeFindActive
  return Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
    if (given.length === 1 && given[0] === "*") return [...listed.keys()].filter((symbol) => !hasEnded(feed, symbol))
    const instruments = yield* Effect.forEach(given, findActive)
    return [...new Set(instruments.map(({ symbol }) => symbol))]
  })
})

const hasEnded = (feed: Feed["Service"], symbol: MarketSymbol): boolean =>
  isOver(feed.tradingStates.get(symbol) ?? "TRADING")

/** Sends the same call to every desk and returns all responses. */
export const makeQueryDesks = Effect.gen(function* () {
  const desks = yield* DeskClient
  const { desks: count } = yield* VenueSettings
  const ids = Array.from({ length: count }, (_, id) => String(id))
  return <A, E>(call: Parameters<typeof desks.askDesk<A, E>>[1]) =>
    Effect.forEach(ids, (id) => desks.askDesk(id, call), { concurrency: 8 })
})

/** Maps the errors of a command: 503 if its audit entry could not be written, 504 if the market did not respond. */
export const unanswered = (refusals: Problems) => ({
  DatabaseUnavailable: () => Effect.fail(refusals.draining()),
  Unavailable: () => Effect.fail(refusals.deadlinePassed())
})

/** Actor for the audit entry: the request's operator, with the request's reason. */
export const byOperator = (reason: string) => Effect.map(Operator, ({ name }) => ({ actor: name, reason }))
