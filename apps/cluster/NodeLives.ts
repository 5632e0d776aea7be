/** Life cycles of all cluster processes. Prints a line for the operator at each change. */
import { Clock, Console, Effect } from "effect"
import * as NodeLife from "./NodeLife.ts"

export interface NodeLives {
  /** Applies an event and returns the resulting action. */
  readonly apply: (name: string, event: NodeLife.NodeEvent) => NodeLife.Next["action"]
  readonly say: (line: string) => void
  readonly has: (name: string) => boolean
  readonly phaseOf: (name: string) => NodeLife.Phase["_tag"] | undefined
  /** Returns whether the process has been ready at any time. */
  readonly hasServed: (name: string) => boolean
  readonly processes: () => ReadonlyArray<{ readonly name: string; readonly pid: number }>
}

export const make = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const lives = new Map(names.map((name) => [name, NodeLife.begun(name)]))
  const served = new Set<string>()
  const say = (line: string) => void run(Console.log(line))

  const all: NodeLives = {
    apply: (name, event) => {
      const { action, life, line } = NodeLife.next(lives.get(name)!, event, clock.currentTimeMillisUnsafe())
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
