/** What becomes of one process of the cluster: a value that is told what happened, and says what to do about it. */
import type { Wanted } from "@venue/storage/nodes/Nodes"

/**
 * ```
 * BackingOff ── launched ──▶ Starting ── ready ──▶ Serving ◀── answered ── Silent
 *     ▲                         │                     └─ no answer for 3 s ──▲ │
 *     │                         │ no answer for 60 s                           │ no answer for 9 s
 *     └────── ended ─── Killed ◀┴──────────────────────────────────────────────┘
 * ```
 * Any of those that run may end by itself, and one that is asked to has 35 s. Who was drained stays Drained until it is wanted again.
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
  /** How often it ended before it had served for a while, in succession. */
  readonly failures: number
}

export type Happened =
  | { readonly _tag: "Launched"; readonly pid: number }
  | { readonly _tag: "Answered"; readonly isReady: boolean }
  /** It was asked and did not answer; so much time went by since it was asked before. */
  | { readonly _tag: "Unanswered"; readonly millis: number }
  | { readonly _tag: "Ended"; readonly how: string }
  | { readonly _tag: "Wanted"; readonly wanted: Wanted }
  /** Nothing but time. */
  | { readonly _tag: "Waited" }

export interface Next {
  readonly life: NodeLife
  readonly action?: "Launch" | "Kill"
  /** What the operator is told. */
  readonly line?: string
}

/** Nobody answers for so long only when frozen or gone: another owner has its shards by then. */
export const killAfterMillis = 9_000
const tellAfterMillis = 3_000
/** One that was asked to end closes its addresses first, and ends itself within 30 s. */
const endWithinMillis = 35_000
/** Until it answers the first time: tables to prepare, markets to load. */
export const startWithinMillis = 60_000
/** One that has served for so long started well, and its next end is the first again. */
const soundMillis = 30_000
const firstPauseMillis = 250
const longestPauseMillis = 15_000
/** Whoever asks may have been frozen meanwhile: one question without an answer counts for no more. */
const mostSilenceOfOneMillis = 2_000

export const begun = (name: string): NodeLife => ({
  name,
  phase: { _tag: "BackingOff", untilMillis: 0 },
  wanted: "serving",
  failures: 0
})

export const next = (life: NodeLife, happened: Happened, nowMillis: number): Next => {
  switch (happened._tag) {
    case "Launched":
      return { life: { ...life, wanted: "serving", phase: { _tag: "Starting", pid: happened.pid, silentMillis: 0 } } }
    case "Answered":
      return answered(life, happened.isReady, nowMillis)
    case "Unanswered":
      return unanswered(life, Math.min(happened.millis, mostSilenceOfOneMillis))
    case "Ended":
      return ended(life, happened.how, nowMillis)
    case "Wanted":
      return want(life, happened.wanted)
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
        line: `${name} answers again (pid ${phase.pid})`
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
      line: `${name} has answered nothing for ${seconds} s and is killed (pid ${phase.pid})`
    }
  }
  if (phase._tag === "Serving" && silentMillis >= tellAfterMillis && !isEnding) {
    return {
      life: { ...life, phase: { ...phase, _tag: "Silent", silentMillis } },
      line: `${name} does not answer (pid ${phase.pid})`
    }
  }
  return { life: { ...life, phase: { ...phase, silentMillis } } }
}

const ended = (life: NodeLife, how: string, nowMillis: number): Next => {
  const { failures, name, wanted } = life
  if (wanted === "draining") return { life: drained(life), line: `${name} is drained; ${remedy(name)}` }
  if (wanted === "restarting")
    return { life: waiting({ ...life, failures: 0 }, nowMillis), line: `${name} ended and starts again` }
  const pauseMillis = Math.min(firstPauseMillis * 2 ** failures, longestPauseMillis)
  return {
    life: waiting({ ...life, failures: failures + 1 }, nowMillis + pauseMillis),
    line: `${name} ended (${how}) and starts again in ${pauseMillis / 1_000} s`
  }
}

/** What is wanted of a process that runs it does by itself; its end is what comes next. */
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

/** Absent while none runs. */
export const pidOf = ({ phase }: NodeLife): number | undefined => ("pid" in phase ? phase.pid : undefined)
