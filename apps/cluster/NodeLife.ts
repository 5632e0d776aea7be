/** Life cycle of one process in the cluster: a state machine that returns the next state and action. */
import type { Wanted } from "@venue/storage/nodes/Nodes"

/**
 * ```
 * BackingOff ── launched ──▶ Starting ── ready ──▶ Serving ◀── answered ── Silent
 *     ▲                         │                     └─ no answer for 3 s ──▲ │
 *     │                         │ no answer for 60 s                           │ no answer for 9 s
 *     └────── ended ─── Killed ◀┴──────────────────────────────────────────────┘
 * ```
 * A running process may also end by itself, and has 35 s to end on request. A drained process stays Drained until a restart is requested.
 */
export type Phase =
  | { readonly _tag: "BackingOff"; readonly untilMillis: number }
  | { readonly _tag: "Starting"; readonly pid: number; readonly silentMillis: number }
  | {
      readonly _tag: "Serving" | "Silent"
      readonly pid: number
      readonly silentMillis: number
      readonly sinceMillis: number
    }
  | { readonly _tag: "Killed"; readonly pid: number }
  | { readonly _tag: "Drained" }

export interface NodeLife {
  readonly name: string
  readonly phase: Phase
  readonly wanted: Wanted
  /** Number of consecutive runs in which the process exited before it had served for 30 s. */
  readonly failures: number
}

export type NodeEvent =
  | { readonly _tag: "Launched"; readonly pid: number }
  | { readonly _tag: "Answered"; readonly isReady: boolean }
  /** A health check failed. `millis` is the time since the previous check. */
  | { readonly _tag: "Unanswered"; readonly millis: number }
  | { readonly _tag: "Ended"; readonly how: string }
  | { readonly _tag: "Wanted"; readonly wanted: Wanted }
  | { readonly _tag: "Waited" }

export interface Next {
  readonly life: NodeLife
  readonly action?: "Launch" | "Kill"
  /** Line of output for the operator. */
  readonly line?: string
}

/**
 * Silence after which a process is killed. Only a frozen or dead process is silent for this long, and another owner
 * has its shards by then.
 */
export const killAfterMillis = 9_000
const reportAfterMillis = 3_000
/**
 * Silence after which a stopping process is killed. Such a process closes its listeners first, and exits within 30 s.
 */
const endWithinMillis = 35_000
/** Maximum silence of a starting process, which loads its code before it answers. */
export const startWithinMillis = 60_000
/** Time of service after which a start counts as successful and failures count from zero. */
const soundMillis = 30_000
const firstPauseMillis = 250
const longestPauseMillis = 15_000
/** Maximum silence that one failed check adds, because the supervisor itself might have been frozen. */
const mostSilenceOfOneMillis = 2_000

export const begun = (name: string): NodeLife => ({
  name,
  phase: { _tag: "BackingOff", untilMillis: 0 },
  wanted: "serving",
  failures: 0
})

export const next = (life: NodeLife, event: NodeEvent, nowMillis: number): Next => {
  switch (event._tag) {
    case "Launched":
      return { life: { ...life, wanted: "serving", phase: { _tag: "Starting", pid: event.pid, silentMillis: 0 } } }
    case "Answered":
      return answered(life, event.isReady, nowMillis)
    case "Unanswered":
      return unanswered(life, Math.min(event.millis, mostSilenceOfOneMillis))
    case "Ended":
      return ended(life, event.how, nowMillis)
    case "Wanted":
      return want(life, event.wanted)
    case "Waited":
      return life.phase._tag === "BackingOff" && life.phase.untilMillis <= nowMillis
        ? { life, action: "Launch" }
        : { life }
  }
}

const answered = (life: NodeLife, isReady: boolean, nowMillis: number): Next => {
  const { name, phase } = life
  switch (phase._tag) {
    case "Starting":
      return isReady
        ? { life: { ...life, phase: { ...phase, _tag: "Serving", silentMillis: 0, sinceMillis: nowMillis } } }
        : { life: { ...life, phase: { ...phase, silentMillis: 0 } } }
    case "Serving": {
      const isSound = nowMillis - phase.sinceMillis >= soundMillis
      return { life: { ...life, failures: isSound ? 0 : life.failures, phase: { ...phase, silentMillis: 0 } } }
    }
    case "Silent":
      return {
        life: { ...life, phase: { ...phase, _tag: "Serving", silentMillis: 0 } },
        line: `${name} responds again (pid ${phase.pid})`
      }
    default:
      return { life }
  }
}

const unanswered = (life: NodeLife, millis: number): Next => {
  const { name, phase, wanted } = life
  if (!("silentMillis" in phase)) return { life }
  const silentMillis = phase.silentMillis + millis
  const isEnding = wanted !== "serving"
  const patienceMillis = isEnding ? endWithinMillis : killAfterMillis
  if (silentMillis >= (phase._tag === "Starting" ? startWithinMillis : patienceMillis)) {
    const seconds = Math.floor(silentMillis / 1_000)
    return {
      life: { ...life, phase: { _tag: "Killed", pid: phase.pid } },
      action: "Kill",
      line: `${name} has not responded for ${seconds} s and is being killed (pid ${phase.pid})`
    }
  }
  if (phase._tag === "Serving" && silentMillis >= reportAfterMillis && !isEnding) {
    return {
      life: { ...life, phase: { ...phase, _tag: "Silent", silentMillis } },
      line: `${name} does not respond (pid ${phase.pid})`
    }
  }
  return { life: { ...life, phase: { ...phase, silentMillis } } }
}

const ended = (life: NodeLife, how: string, nowMillis: number): Next => {
  const { failures, name, wanted } = life
  if (wanted === "draining") return { life: drained(life), line: `${name} is drained; ${remedy(name)}` }
  if (wanted === "restarting")
    return { life: waiting({ ...life, failures: 0 }, nowMillis), line: `${name} exited and is being restarted` }
  const pauseMillis = Math.min(firstPauseMillis * 2 ** failures, longestPauseMillis)
  return {
    life: waiting({ ...life, failures: failures + 1 }, nowMillis + pauseMillis),
    line: `${name} exited (${how}) and will be restarted in ${pauseMillis / 1_000} s`
  }
}

/** Applies the operator's request. A running process reads the request itself, so the next event is its exit. */
const want = (life: NodeLife, wanted: Wanted): Next => {
  const { name, phase } = life
  if (wanted === life.wanted) return { life }
  if (phase._tag === "Drained") {
    return wanted === "draining" ? { life } : { life: waiting(life, 0), line: `${name} starts again` }
  }
  if (phase._tag !== "BackingOff") return { life: { ...life, wanted } }
  return wanted === "draining"
    ? { life: drained(life), line: `${name} is drained; ${remedy(name)}` }
    : { life: waiting(life, 0) }
}

const waiting = (life: NodeLife, untilMillis: number): NodeLife => ({
  ...life,
  wanted: "serving",
  phase: { _tag: "BackingOff", untilMillis }
})

const drained = (life: NodeLife): NodeLife => ({
  ...life,
  wanted: "draining",
  failures: 0,
  phase: { _tag: "Drained" }
})

const remedy = (name: string): string => `npm run cluster -- restart ${name} starts it again`

/** Returns the process id, or undefined while no process runs. */
export const pidOf = ({ phase }: NodeLife): number | undefined => ("pid" in phase ? phase.pid : undefined)
