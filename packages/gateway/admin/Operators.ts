/** Who may use the operator interface: whoever has a token of it, as far as their roles go. Each deed is done in their name. */
import { mayUse, neededFor, Operator, OperatorOnly } from "@venue/api/admin/Operator"
import { problems, type ServiceUnavailable } from "@venue/api/Problem"
import { OperatorTokens } from "@venue/auth/access/OperatorTokens"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { Feed } from "@venue/cluster/feed/Feed"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { firstOperator, type OperatorRole } from "@venue/domain/Operator"
import * as RateLimits from "@venue/domain/RateLimits"
import { isOver } from "@venue/domain/TradingState"
import { Audit, type Deed } from "@venue/storage/access/Audit"
import { Clock, Effect, Layer, Option, Redacted, Semaphore } from "effect"
import { ApiBaseUrl } from "../http/ApiBaseUrl.ts"
import * as Refusal from "../http/Refusal.ts"
import { isSameText } from "../http/SameText.ts"

export const layer = (token: Redacted.Redacted) =>
  Layer.effect(
    OperatorOnly,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const tokens = yield* OperatorTokens
      const refusals = problems(yield* ApiBaseUrl)
      const guesses = RateLimits.make({
        enabled: true,
        nowMillis: () => clock.currentTimeMillisUnsafe(),
        capacity: guessesAtOnce,
        refillMillis: guessesAtOnce * guessMillis
      })
      /**
       * Everybody here comes from this machine, so guesses are counted together and right tokens are not among them:
       * however many a stranger sends, operators are let in at once, and hardly more guesses than a second has wait.
       */
      const wrong = (credential: Redacted.Redacted) =>
        Refusal.spend(refusals, guesses, "a guess", 1).pipe(
          Effect.andThen(Effect.sleep(guessMillis)),
          Effect.andThen(
            Effect.fail(refusals.credentialsNotAccepted(Redacted.value(credential) === "" ? missing : unknown))
          )
        )
      const lookUps = Semaphore.makeUnsafe(lookUpsAtOnce)
      const found = (credential: Redacted.Redacted): Effect.Effect<Option.Option<Acting>, ServiceUnavailable> =>
        isSameText(Redacted.value(credential), Redacted.value(token))
          ? Effect.succeedSome(first)
          : lookUps
              .withPermit(tokens.find(credential))
              .pipe(Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining())))
      return OperatorOnly.of({
        operator: Effect.fnUntraced(function* (answer, { credential, endpoint }) {
          const operator = yield* found(credential)
          if (Option.isNone(operator)) return yield* wrong(credential)
          const { name, roles } = operator.value
          if (!mayUse(roles, endpoint)) return yield* refusals.roleNeeded(neededFor(endpoint), roles)
          return yield* Effect.provideService(answer, Operator, { name })
        })
      })
    })
  )

const missing = "The operator's token is missing: send Authorization: Bearer with a token of the operator interface."
const unknown = "The operator's token is unknown, or its operator was dismissed; send a token that is in force."

interface Acting {
  readonly name: string
  readonly roles: ReadonlyArray<OperatorRole>
}

/** The token of the settings is known while the database is away. */
const first: Acting = { name: firstOperator, roles: ["admin"] }
/** Guesses wait for each other here, and take no more of the database than this. */
const lookUpsAtOnce = 2
/** A wrong token is answered after so long, and as often, but for the first few. */
const guessMillis = 1_000
const guessesAtOnce = 10

/**
 * Records what an operator asks of a market, before it is done: a market's journal waits for no table, and nothing is done
 * that no row tells of.
 */
export const makeAsked = Effect.map(
  Audit,
  (audit) => (action: string, subject: string, facts: Deed["facts"]) =>
    Effect.flatMap(Operator, ({ name }) => audit.record({ action, actor: name, subject, facts }))
)

/** Finds the instrument that an operator names, in any letter case. */
export const makeListed = Effect.zipWith(VenueSettings, ApiBaseUrl, ({ instruments }, baseUrl) => {
  const refusals = problems(baseUrl)
  return (name: string) => {
    const instrument = instruments.get(MarketSymbol.make(name.toUpperCase()))
    return instrument === undefined
      ? Effect.fail(refusals.unknownSymbol(name.toUpperCase()))
      : Effect.succeed(instrument)
  }
})

/** Finds the instrument that an operator names, of a contract that has not ended (rule 19.3). */
export const makeLasting = Effect.gen(function* () {
  const feed = yield* Feed
  const listed = yield* makeListed
  const refusals = problems(yield* ApiBaseUrl)
  return Effect.fnUntraced(function* (name: string) {
    const instrument = yield* listed(name)
    return hasEnded(feed, instrument.symbol) ? yield* refusals.symbolDelisted(instrument.symbol) : instrument
  })
})

/** Finds all that an operator names: each once, or by `*` alone every one that has not ended. */
export const makeNamed = Effect.gen(function* () {
  const feed = yield* Feed
  const { instruments } = yield* VenueSettings
  const lasting = yield* makeLasting
  return Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
    if (given.length === 1 && given[0] === "*")
      return [...instruments.keys()].filter((symbol) => !hasEnded(feed, symbol))
    const found = yield* Effect.forEach(given, lasting)
    return [...new Set(found.map(({ symbol }) => symbol))]
  })
})

const hasEnded = (feed: Feed["Service"], symbol: MarketSymbol): boolean =>
  isOver(feed.tradingStates.get(symbol) ?? "TRADING")

/** Asks all desks the same. */
export const makeOfDesks = Effect.gen(function* () {
  const desks = yield* DeskClient
  const { desks: count } = yield* VenueSettings
  const ids = Array.from({ length: count }, (_, id) => String(id))
  return <A, E>(call: Parameters<typeof desks.askDesk<A, E>>[1]) =>
    Effect.forEach(ids, (id) => desks.askDesk(id, call), { concurrency: 8 })
})

/** How a command ends that could not be recorded, and so was not begun, or of which no market said that it was done. */
export const unanswered = (refusals: ReturnType<typeof problems>) => ({
  DatabaseUnavailable: () => Effect.fail(refusals.draining()),
  Unavailable: () => Effect.fail(refusals.deadlinePassed())
})

/** Whoever asks, with the reason they give. */
export const inTheNameOf = (reason: string) => Effect.map(Operator, ({ name }) => ({ actor: name, reason }))
