/** Simulated rails whose state is in the venue's database and survives a restart. */
import { RailName } from "@venue/domain/Rail"
import { RailProviders, RailUnavailable } from "@venue/providers/rails/RailProvider"
import { SimulatedRails } from "@venue/providers/rails/SimulatedRails"
import * as Machine from "./SimulatedRail.ts"
import * as Simulation from "./Simulation.ts"
import { SimulatedStates } from "@venue/storage/treasury/SimulatedStates"
import { Clock, Effect, Layer, Schema } from "effect"

const State = Schema.fromJsonString(Schema.toCodecJson(Machine.SimulatedRail))
const encode = Schema.encodeSync(State)
const decode = Schema.decodeSync(State)

const make = (names: ReadonlyArray<RailName>) =>
  Effect.gen(function* () {
    const { change } = yield* SimulatedStates
    const clock = yield* Clock.Clock
    const keep: Simulation.Keep = (rail, work) =>
      change(rail, (text) => {
        const state = text === null ? Machine.empty(clock.currentTimeMillisUnsafe()) : decode(text)
        const [answer, after] = work(state)
        return [answer, after === state && text !== null ? text : encode(after)]
      }).pipe(Effect.mapError((cause) => new RailUnavailable({ rail, cause })))
    return new Map(names.map((rail) => [rail, Simulation.make(rail, keep)]))
  })

/** Adds a simulated rail for each rail that is not connected. */
export const fillingIn = <E, R>(real: Layer.Layer<RailProviders, E, R>) =>
  Layer.effect(
    RailProviders,
    Effect.gen(function* () {
      const simulated = yield* SimulatedRails
      return new Map([
        ...(yield* RailProviders),
        ...[...simulated].map(([rail, { provider }]) => [rail, provider] as const)
      ])
    })
  ).pipe(
    Layer.provideMerge(
      Layer.effect(
        SimulatedRails,
        Effect.flatMap(RailProviders, (connected) => make(RailName.literals.filter((rail) => !connected.has(rail))))
      )
    ),
    Layer.provide(real)
  )

/** All rails, simulated. */
export const layer = fillingIn(Layer.succeed(RailProviders)(new Map()))
