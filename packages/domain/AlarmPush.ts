/**
 * Decides which events of alarms are pushed to operators: one when an alarm begins, further ones while it lasts, and
 * one when it has ended.
 */

/** Event of a message about an alarm. */
export type AlarmEvent = "alarm.raised" | "alarm.repeated" | "alarm.resolved"

/** An alarm that a source reports now. */
export interface SeenAlarm<A> {
  /** Equal for the same condition on every node and at any time. */
  readonly alarmId: string
  readonly alarm: A
  /** Time in milliseconds for which the alarm must last before it is raised. */
  readonly raiseAfterMillis: number
}

/** Alarms of one source; undefined if the source does not answer, so that its alarms are unknown. */
export interface AlarmReading<A> {
  readonly source: string
  readonly alarms: ReadonlyArray<SeenAlarm<A>> | undefined
}

/** An alarm that was seen and has not been resolved. Times in Unix milliseconds. */
export interface TrackedAlarm<A> {
  readonly alarmId: string
  readonly source: string
  /** The alarm as last seen. */
  readonly alarm: A
  readonly firstAtMillis: number
  /** Number of `alarm.raised` and `alarm.repeated` messages; 0 until the alarm is raised. */
  readonly pushes: number
  /** Time of the last message; null until the alarm is raised. */
  readonly pushedAtMillis: number | null
  /** Time since which the source answers without the alarm; null while the alarm lasts. */
  readonly absentSinceMillis: number | null
}

/** A message to every operator webhook. */
export interface AlarmPush<A> {
  readonly event: AlarmEvent
  readonly tracked: TrackedAlarm<A>
}

export type TrackedAlarms<A> = ReadonlyMap<string, TrackedAlarm<A>>

const minute = 60_000
const hour = 60 * minute

/** Delays in milliseconds from each message about a lasting alarm to the next one; the last delay repeats. */
const repeatAfterMillis = [15 * minute, hour, 4 * hour, 12 * hour, 24 * hour]

/** Time in milliseconds without an alarm after which it is resolved. An alarm that returns earlier continues. */
export const resolvedAfterMillis = 30_000

/** Maximum number of tracked alarms. Further alarms are raised once others are resolved. */
export const maxTracked = 1_000

/**
 * Returns the tracked alarms after all sources were read, and the messages to send. An alarm keeps its state
 * while its source does not answer.
 */
export const step = <A>(
  before: TrackedAlarms<A>,
  readings: ReadonlyArray<AlarmReading<A>>,
  nowMillis: number
): { readonly tracked: TrackedAlarms<A>; readonly pushes: ReadonlyArray<AlarmPush<A>> } => {
  const tracked = new Map(before)
  const pushes: Array<AlarmPush<A>> = []
  const seen = new Set<string>()
  const silent = new Set<string>()
  for (const { alarms, source } of readings) {
    if (alarms === undefined) silent.add(source)
    for (const current of alarms ?? []) {
      const known = tracked.get(current.alarmId)
      if (seen.has(current.alarmId) || (known === undefined && tracked.size >= maxTracked)) continue
      seen.add(current.alarmId)
      const [next, event] = lasting(known ?? begun(current, source, nowMillis), current, nowMillis)
      tracked.set(current.alarmId, next)
      if (event !== undefined) pushes.push({ event, tracked: next })
    }
  }
  for (const [alarmId, known] of before) {
    if (seen.has(alarmId) || silent.has(known.source)) continue
    if (known.pushes > 0 && known.absentSinceMillis === null)
      tracked.set(alarmId, { ...known, absentSinceMillis: nowMillis })
    else if (known.pushes === 0 || nowMillis - known.absentSinceMillis! >= resolvedAfterMillis) {
      tracked.delete(alarmId)
      if (known.pushes > 0) pushes.push({ event: "alarm.resolved", tracked: known })
    }
  }
  return { tracked, pushes }
}

/** Changes to the stored alarms after a node tracked alarms without the database. */
export interface Merge<A> {
  readonly put: ReadonlyArray<TrackedAlarm<A>>
  readonly removed: ReadonlyArray<string>
}

/**
 * Returns the changes to `stored` after an outage. `known` has the stored alarms at the outage's begin, and `own`
 * the alarms of the node at its end. Alarms that other nodes have already stored are kept.
 */
export const merge = <A>(known: TrackedAlarms<A>, own: TrackedAlarms<A>, stored: TrackedAlarms<A>): Merge<A> => ({
  put: [...own.values()].filter(({ alarmId, pushes }) => pushes > (stored.get(alarmId)?.pushes ?? 0)),
  removed: [...known.values()]
    .filter(({ alarmId, firstAtMillis }) => !own.has(alarmId) && stored.get(alarmId)?.firstAtMillis === firstAtMillis)
    .map(({ alarmId }) => alarmId)
})

const begun = <A>({ alarm, alarmId }: SeenAlarm<A>, source: string, nowMillis: number): TrackedAlarm<A> => ({
  alarmId,
  source,
  alarm,
  firstAtMillis: nowMillis,
  pushes: 0,
  pushedAtMillis: null,
  absentSinceMillis: null
})

const lasting = <A>(
  known: TrackedAlarm<A>,
  { alarm, raiseAfterMillis }: SeenAlarm<A>,
  nowMillis: number
): readonly [TrackedAlarm<A>, AlarmEvent | undefined] => {
  const { firstAtMillis, pushedAtMillis, pushes } = known
  const next = { ...known, alarm, absentSinceMillis: null }
  const pushed = { ...next, pushes: pushes + 1, pushedAtMillis: nowMillis }
  if (pushedAtMillis === null)
    return nowMillis - firstAtMillis >= raiseAfterMillis ? [pushed, "alarm.raised"] : [next, undefined]
  const delay = repeatAfterMillis[Math.min(pushes, repeatAfterMillis.length) - 1]!
  return nowMillis - pushedAtMillis >= delay ? [pushed, "alarm.repeated"] : [next, undefined]
}
