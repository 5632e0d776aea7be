/** The lives of all processes of a cluster, changed by what happens, and told to the operator. */
import { Clock, Console, Effect } from "effect"
import * as NodeLife from "./NodeLife.ts"

export interface NodeLives {
  /** Answers what is to be done about it. */
  readonly tell: (name: string, happened: NodeLife.Happened) => NodeLife.Next["action"]
  readonly say: (line: string) => void
  readonly has: (name: string) => boolean
  readonly phaseOf: (name: string) => NodeLife.Phase["_tag"] | undefined
  /** Whether it has been ready at any time. */
  readonly hasServed: (name: string) => boolean
  /** Those that run. */
  readonly processes: () => ReadonlyArray<{ readonly name: string; readonly pid: number }>
}

export const make = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const lives = new Map(names.map((name) => [name, NodeLife.begun(name)]))
  const served = new Set<string>()
  const say = (line: string) => void run(Console.log(line))

  const all: NodeLives = {
    tell: (name, happened) => {
      const { action, life, line } = NodeLife.next(lives.get(name)!, happened, clock.currentTimeMillisUnsafe())
      lives.set(name, life)
      if (life.phase._tag === "Serving") served.add(name)
      if (line !== undefined) say(`venue: ${line}`)
      return action
    },
    say,
    has: (name) => lives.has(name),
    phaseOf: (name) => lives.get(name)?.phase._tag,
    hasServed: (name) => served.has(name),
    processes: () =>
      [...lives.values()].flatMap((life) => {
        const pid = NodeLife.pidOf(life)
        return pid === undefined ? [] : [{ name: life.name, pid }]
      })
  }
  return all
})
