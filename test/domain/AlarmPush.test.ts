/** Tests of the events that are pushed about alarms. */
import {
  type AlarmPush,
  type AlarmReading,
  maxTracked,
  merge,
  resolvedAfterMillis,
  step,
  type TrackedAlarms
} from "@venue/domain/AlarmPush"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

const seen = (alarmId: string, raiseAfterMillis = 0) => ({ alarmId, alarm: `text of ${alarmId}`, raiseAfterMillis })
const present = (...alarmIds: ReadonlyArray<string>): AlarmReading<string> => ({
  source: "one",
  alarms: alarmIds.map((alarmId) => seen(alarmId))
})
const silent: AlarmReading<string> = { source: "one", alarms: undefined }

/** Applies readings at their times and returns the events with their times. */
const eventsOf = (...readings: ReadonlyArray<readonly [atMillis: number, reading: AlarmReading<string>]>) => {
  let tracked: TrackedAlarms<string> = new Map()
  return readings.flatMap(([atMillis, reading]) => {
    const next = step(tracked, [reading], atMillis)
    tracked = next.tracked
    return next.pushes.map(({ event, tracked: { alarmId, pushes } }) => `${atMillis} ${event} ${alarmId} ${pushes}`)
  })
}

describe("pushed alarms", () => {
  it("raises an alarm once and resolves it after 30 s without it", () => {
    expect(
      eventsOf(
        [0, present("a")],
        [5 * second, present("a")],
        [10 * second, present()],
        [39 * second, present()],
        [40 * second, present()],
        [45 * second, present()]
      )
    ).toEqual(["0 alarm.raised a 1", "40000 alarm.resolved a 1"])
  })

  it("continues an alarm that returns within 30 s", () => {
    expect(
      eventsOf([0, present("a")], [second, present()], [20 * second, present("a")], [40 * second, present()])
    ).toEqual(["0 alarm.raised a 1"])
  })

  it("repeats a lasting alarm after 15 min, 1 h, 4 h, 12 h, and then once a day", () => {
    const every = Array.from({ length: 4 * 24 * 4 }, (_, quarter) => [quarter * 15 * minute, present("a")] as const)
    const times = eventsOf(...every).map((text) => Number(text.split(" ")[0]) / hour)
    expect(times).toEqual([0, 0.25, 1.25, 5.25, 17.25, 41.25, 65.25, 89.25])
  })

  it("raises an alarm only after the time for which its kind must last, and forgets it if it ends earlier", () => {
    const slow: AlarmReading<string> = { source: "one", alarms: [seen("a", minute)] }
    expect(
      eventsOf(
        [0, slow],
        [59 * second, slow],
        [60 * second - 1, present()],
        [minute, slow],
        [2 * minute - 1, slow],
        [2 * minute, slow]
      )
    ).toEqual(["120000 alarm.raised a 1"])
  })

  it("keeps the state of an alarm while its source is silent", () => {
    expect(eventsOf([0, present("a")], [hour, silent], [2 * hour, silent], [3 * hour, present("a")])).toEqual([
      "0 alarm.raised a 1",
      "10800000 alarm.repeated a 2"
    ])
  })

  it("resolves an alarm whose source no longer exists", () => {
    const other: AlarmReading<string> = { source: "two", alarms: [] }
    expect(eventsOf([0, present("a")], [second, other], [second + resolvedAfterMillis, other])).toEqual([
      "0 alarm.raised a 1",
      "31000 alarm.resolved a 1"
    ])
  })

  it("tracks at most 1,000 alarms and raises another once one is resolved", () => {
    const names = Array.from({ length: maxTracked + 1 }, (_, n) => `a${n}`)
    const first = step(new Map(), [present(...names)], 0)
    expect([first.tracked.size, first.pushes.length]).toEqual([maxTracked, maxTracked])
    const without = present(...names.slice(1))
    const second = step(first.tracked, [without], 1)
    const third = step(second.tracked, [without], 1 + resolvedAfterMillis)
    expect(third.pushes.map(({ event }) => event)).toEqual(["alarm.resolved"])
    expect(
      step(third.tracked, [without], 2 + resolvedAfterMillis).pushes.map(({ tracked }) => tracked.alarmId)
    ).toEqual([`a${maxTracked}`])
  })

  it("for random readings, raises, repeats and resolves each alarm in turn, and only while its source answers", () => {
    const readings = fc.array(
      fc.record({
        pauseMillis: fc.integer({ min: 1, max: 2 * hour }),
        of: fc.record({
          one: fc.option(fc.subarray(["a", "b"]), { freq: 4 }),
          two: fc.option(fc.subarray(["c"]), { freq: 4 })
        })
      }),
      { maxLength: 60 }
    )
    fc.assert(
      fc.property(readings, (steps) => {
        let tracked: TrackedAlarms<string> = new Map()
        let now = 0
        const last = new Map<string, { readonly push: AlarmPush<string>; readonly gap: number; readonly at: number }>()
        for (const { of, pauseMillis } of steps) {
          now += pauseMillis
          const given = (["one", "two"] as const).map((source) => ({
            source,
            alarms: of[source]?.map((alarmId) => seen(alarmId, alarmId === "b" ? minute : 0))
          }))
          const next = step(tracked, given as ReadonlyArray<AlarmReading<string>>, now)
          tracked = next.tracked
          for (const push of next.pushes) {
            const { alarmId, source } = push.tracked
            const answers = given.find((reading) => reading.source === source)!.alarms
            const before = last.get(alarmId)
            const isOpen = before !== undefined && before.push.event !== "alarm.resolved"
            expect(answers).toBeDefined()
            expect(isOpen).toBe(push.event !== "alarm.raised")
            expect(answers!.some((given) => given.alarmId === alarmId)).toBe(push.event !== "alarm.resolved")
            const gap = isOpen ? now - before.at : 0
            if (push.event === "alarm.repeated") {
              expect(gap).toBeGreaterThanOrEqual(15 * minute)
              expect(push.tracked.firstAtMillis).toBe(before!.push.tracked.firstAtMillis)
              expect(push.tracked.pushes).toBe(before!.push.tracked.pushes + 1)
            }
            last.set(alarmId, { push, gap, at: now })
          }
        }
        for (const { alarmId, pushes } of tracked.values())
          expect(pushes > 0).toBe(last.get(alarmId) !== undefined && last.get(alarmId)!.push.event !== "alarm.resolved")
      })
    )
  })
})

describe("alarms tracked without the database", () => {
  const at = (tracked: TrackedAlarms<string>, atMillis: number, ...ids: ReadonlyArray<string>) =>
    step(tracked, [present(...ids)], atMillis).tracked

  it("adds new alarms, removes resolved alarms, and keeps alarms of other nodes with as many messages", () => {
    const known = at(new Map(), 0, "old", "lasting")
    const own = at(at(known, second, "lasting", "new"), second + resolvedAfterMillis, "lasting", "new")
    expect(merge(known, own, known)).toEqual({ put: [own.get("new")], removed: ["old"] })
    expect(merge(known, own, own)).toEqual({ put: [], removed: [] })
  })

  it("keeps an alarm that was raised again after this node had resolved it", () => {
    const known = at(new Map(), 0, "old")
    const own = at(at(known, second), second + resolvedAfterMillis)
    expect(own.size).toBe(0)
    const again = at(new Map(), hour, "old")
    expect(merge(known, own, again)).toEqual({ put: [], removed: [] })
  })
})
