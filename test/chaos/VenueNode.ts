/** One process of the venue under test, with its readiness check. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as ChildProcess from "./ChildProcess.ts"
import * as Signing from "./Signing.ts"

export interface Urls {
  readonly rest: string
  readonly trade: string
  readonly marketData: string
  readonly admin: string
}

export interface Spec {
  readonly name: string
  readonly kind: "runner" | "gateway" | "auditor"
  readonly program: string
  readonly variables: ChildProcess.Variables
  readonly health: string
  readonly urls: Urls | undefined
}

export interface VenueNode extends Spec {
  /** Starts the process unless it is already running. */
  readonly start: (more?: ChildProcess.Variables) => void
  readonly kill: () => Promise<void>
  readonly freeze: () => void
  readonly thaw: () => void
  /**
   * Stops the process, and kills it if it still runs after this time. Returns its exit code, or null if it was
   * killed.
   */
  readonly end: (withinMillis: number) => Promise<number | null>
  readonly runs: () => boolean
  readonly isReady: () => Promise<boolean>
  /** Returns the last line of the process's output. */
  readonly lastWords: () => string
  /** Returns whether the process should be running, so that an exit is unexpected. */
  readonly isWanted: () => boolean
}

export const make = (spec: Spec, folder: string): VenueNode => {
  let child: ChildProcess.ChildProcess | undefined
  let isWanted = false
  const log = join(folder, `${spec.name}.log`)
  const runs = () => child !== undefined && !child.hasEnded()
  return {
    ...spec,
    start: (more = {}) => {
      isWanted = true
      if (runs()) return
      child = ChildProcess.start(spec.program, { ...spec.variables, ...more }, log)
    },
    kill: async () => {
      isWanted = false
      child?.signal("SIGKILL")
      await child?.ended
    },
    freeze: () => child?.signal("SIGSTOP"),
    thaw: () => child?.signal("SIGCONT"),
    end: async (withinMillis) => {
      isWanted = false
      if (child === undefined) return null
      const impatience = setTimeout(() => child?.signal("SIGKILL"), withinMillis)
      child.signal("SIGCONT")
      child.signal("SIGTERM")
      const code = await child.ended
      clearTimeout(impatience)
      return code
    },
    runs,
    lastWords: () => readFileSync(log, "utf8").trim().split("\n").at(-1)!,
    isReady: async () =>
      runs() && (await Signing.ask(`${spec.health}/health/ready`, {}, undefined, 2_000)).status === 200,
    isWanted: () => isWanted
  }
}
