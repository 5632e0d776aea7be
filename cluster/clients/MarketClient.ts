/** Commands to markets: all that one node has for one market leaves in one call; what comes meanwhile goes with the next. */
import type { TraderCommand } from "@venue/domain/Market"
import { Context, Effect, Exit, Layer } from "effect"
import type { Sharding } from "effect/cluster/Sharding"
import { type AccountView, type DepthAt, Market, type Unavailable } from "../protocol/Market.ts"
import { bounded } from "./ClusterFault.ts"
import { LocalEntities } from "./LocalEntities.ts"

/** More than this waiting for one target is refused at once. */
const maxWaiting = 100_000
/** One call carries at most so many; the rest goes with the next. */
const maxBatch = 4_096
const retryMillis = 50

export class MarketClient extends Context.Service<
  MarketClient,
  {
    /** Sends until the market recorded an outcome; false when too many wait already and it was not taken. */
    readonly submit: (symbol: string, command: TraderCommand) => boolean
    readonly view: (
      symbol: string,
      userId: string,
      traderEpoch: number,
      accountIds: ReadonlyArray<string>
    ) => Effect.Effect<AccountView, Unavailable>
    readonly depth: (symbol: string) => Effect.Effect<DepthAt, Unavailable>
    readonly observe: (symbol: string, price: number) => Effect.Effect<void, Unavailable>
    readonly totals: (
      symbol: string
    ) => Effect.Effect<{ readonly positions: number; readonly cash: number }, Unavailable>
  }
>()("@venue/cluster/MarketClient") {
  static readonly layer: Layer.Layer<MarketClient, never, LocalEntities | Sharding> = Layer.effect(
    MarketClient,
    Effect.gen(function* () {
      const localEntities = yield* LocalEntities
      const client = yield* Market.client
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const lines = new Map<string, MarketLine>()
      const ask = <A, E>(symbol: string, call: Effect.Effect<A, E>) => bounded(`market ${symbol}`, call)

      const lineOf = (symbol: string): MarketLine => {
        let line = lines.get(symbol)
        if (line === undefined) {
          line = marketLine(
            (commands, done) => {
              const here = localEntities.markets.get(symbol)
              if (here !== undefined) return here.submit(commands, done)
              const call = ask(symbol, client(symbol).Submit({ commands }))
              run(Effect.onExit(call, (exit) => Effect.sync(() => done(Exit.isSuccess(exit)))))
            },
            () => localEntities.markets.has(symbol),
            (again) => run(Effect.andThen(Effect.sleep(retryMillis), Effect.sync(again)))
          )
          lines.set(symbol, line)
        }
        return line
      }

      return MarketClient.of({
        submit: (symbol, command) => lineOf(symbol).push(command),
        view: (symbol, userId, traderEpoch, accountIds) =>
          Effect.suspend(
            () =>
              localEntities.markets.get(symbol)?.view(userId, traderEpoch, accountIds) ??
              ask(symbol, client(symbol).View({ userId, traderEpoch, accountIds }))
          ),
        depth: (symbol) =>
          Effect.suspend(() => localEntities.markets.get(symbol)?.depth ?? ask(symbol, client(symbol).Depth())),
        observe: (symbol, price) => ask(symbol, client(symbol).Observe({ price })),
        totals: (symbol) => ask(symbol, client(symbol).Totals())
      })
    })
  )
}

interface MarketLine {
  readonly push: (command: TraderCommand) => boolean
}

/** Commands leave in order and are dropped here only when recorded; after a failure all of them leave again, in order. */
function marketLine(
  call: (commands: ReadonlyArray<TraderCommand>, done: (committed: boolean) => void) => void,
  isHere: () => boolean,
  later: (again: () => void) => void
): MarketLine {
  let waiting: Array<TraderCommand> = []
  let flying: Array<ReadonlyArray<TraderCommand>> = []
  let scheduled = false
  /** Answers of calls made before a failure are stale. */
  let round = 0
  let backingOff = false

  const send = () => {
    scheduled = false
    if (waiting.length === 0 || backingOff || (flying.length > 0 && !isHere())) return
    const commands = waiting.length <= maxBatch ? waiting : waiting.slice(0, maxBatch)
    waiting = waiting.length <= maxBatch ? [] : waiting.slice(maxBatch)
    flying.push(commands)
    const mine = round
    call(commands, (committed) => {
      if (mine !== round) return
      if (committed) {
        flying.splice(flying.indexOf(commands), 1)
      } else {
        round++
        waiting = [...flying.flat(), ...waiting]
        flying = []
        backingOff = true
        later(() => {
          backingOff = false
          kick()
        })
      }
      kick()
    })
    kick()
  }
  const kick = () => {
    if (scheduled || backingOff || waiting.length === 0) return
    scheduled = true
    // After the desk's whole batch, before the next input: no event-loop turn is lost.
    queueMicrotask(send)
  }
  return {
    push: (command) => {
      if (waiting.length >= maxWaiting) return false
      waiting.push(command)
      kick()
      return true
    }
  }
}
