/** Who may use the operator interface: whoever has its token. Each deed is done in their name. */
import { Operator, OperatorOnly } from "@venue/api/admin/Operator"
import { problems } from "@venue/api/Problem"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { Feed } from "@venue/cluster/feed/Feed"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as RateLimits from "@venue/domain/RateLimits"
import { isOver } from "@venue/domain/TradingState"
import { Audit, type Deed } from "@venue/storage/access/Audit"
import { Clock, Effect, Layer, Redacted } from "effect"
import * as Refusal from "../http/Refusal.ts"
import { isSameText } from "../http/SameText.ts"

export const layer = (baseUrl: string, token: Redacted.Redacted) =>
  Layer.effect(
    OperatorOnly,
    Effect.map(Clock.Clock, (clock) => {
      const refusals = problems(baseUrl)
      const guesses = RateLimits.make({
        enabled: true,
        nowMillis: () => clock.currentTimeMillisUnsafe(),
        capacity: guessesAtOnce,
        refillMillis: guessesAtOnce * guessMillis
      })
      /**
       * Everybody here comes from this machine, so guesses are counted together and the right token is not among them:
       * however many a stranger sends, the operator is let in at once, and hardly more guesses than a second has wait.
       */
      const wrong = Refusal.spend(refusals, guesses, "a guess", 1).pipe(
        Effect.andThen(Effect.sleep(guessMillis)),
        Effect.andThen(Effect.fail(refusals.credentialsNotAccepted()))
      )
      return OperatorOnly.of({
        operator: (answer, { credential }) =>
          isSameText(Redacted.value(credential), Redacted.value(token))
            ? Effect.provideService(answer, Operator, { name: "operator" })
            : wrong
      })
    })
  )

/** A wrong token is answered after so long, and as often, but for the first few. */
const guessMillis = 1_000
const guessesAtOnce = 10

/**
 * Records what an operator asks, before it is done: the journal and the audit share no transaction, and nothing is done
 * that no row tells of.
 */
export const makeAsked = Effect.map(
  Audit,
  (audit) => (action: string, subject: string, facts: Deed["facts"]) =>
    Effect.flatMap(Operator, ({ name }) => audit.record({ action, actor: name, subject, facts }))
)

/** Finds the instrument that an operator names, in any letter case. */
export const makeListed = (baseUrl: string) =>
  Effect.map(VenueSettings, ({ instruments }) => {
    const refusals = problems(baseUrl)
    return (name: string) => {
      const instrument = instruments.get(MarketSymbol.make(name.toUpperCase()))
      return instrument === undefined
        ? Effect.fail(refusals.unknownSymbol(name.toUpperCase()))
        : Effect.succeed(instrument)
    }
  })

/** Finds the instrument that an operator names, of a contract that has not ended (rule 19.3). */
export const makeLasting = Effect.fnUntraced(function* (baseUrl: string) {
  const feed = yield* Feed
  const listed = yield* makeListed(baseUrl)
  const refusals = problems(baseUrl)
  return Effect.fnUntraced(function* (name: string) {
    const instrument = yield* listed(name)
    return hasEnded(feed, instrument.symbol) ? yield* refusals.symbolDelisted(instrument.symbol) : instrument
  })
})

/** Finds all that an operator names: each once, or by `*` alone every one that has not ended. */
export const makeNamed = Effect.fnUntraced(function* (baseUrl: string) {
  const feed = yield* Feed
  const { instruments } = yield* VenueSettings
  const lasting = yield* makeLasting(baseUrl)
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
