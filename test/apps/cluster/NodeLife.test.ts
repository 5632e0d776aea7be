/** Life cycle of one supervised process, as a pure state machine. */
import { assert, it } from "@effect/vitest"
import type { Wanted } from "@venue/storage/nodes/Nodes"
import * as NodeLife from "../../../apps/cluster/NodeLife.ts"

type TimedEvent = readonly [event: NodeLife.NodeEvent, atMillis?: number]

const launched: TimedEvent = [{ _tag: "Launched", pid: 7 }]
const ready: TimedEvent = [{ _tag: "Answered", isReady: true }]
const live: TimedEvent = [{ _tag: "Answered", isReady: false }]
const silent = (millis = 1_000): TimedEvent => [{ _tag: "Unanswered", millis }]
const ended = (atMillis = 0): TimedEvent => [{ _tag: "Ended", how: "SIGKILL" }, atMillis]
const waited = (atMillis: number): TimedEvent => [{ _tag: "Waited" }, atMillis]
const want = (wanted: Wanted): TimedEvent => [{ _tag: "Wanted", wanted }]

/** Returns the state after the events, with the action and line of the last one. */
const after = (...events: ReadonlyArray<TimedEvent>): NodeLife.Next =>
  events.reduce<NodeLife.Next>(({ life }, [event, atMillis = 0]) => NodeLife.next(life, event, atMillis), {
    life: NodeLife.begun("runner-1")
  })
const phase = (...events: ReadonlyArray<TimedEvent>) => after(...events).life.phase._tag

it("starts a node immediately, and reports the node as serving from its first ready response", () => {
  assert.strictEqual(after(waited(0)).action, "Launch")
  assert.strictEqual(phase(launched), "Starting")
  assert.strictEqual(phase(launched, live), "Starting")
  assert.strictEqual(phase(launched, live, ready), "Serving")
})

it("kills a node after exactly nine seconds without a response", () => {
  const silence = Array.from({ length: 8 }, () => silent())
  assert.strictEqual(phase(launched, ready, ...silence), "Silent")
  assert.strictEqual(after(launched, ready, ...silence).action, undefined)
  const killed = after(launched, ready, ...silence, silent())
  assert.strictEqual(killed.action, "Kill")
  assert.strictEqual(killed.line, "runner-1 has not responded for 9 s and is being killed (pid 7)")
  assert.strictEqual(after(launched, ready, ...silence, silent(), silent()).action, undefined)
})

it("a draining node that does not respond has 35 seconds to exit before it is killed", () => {
  for (const wanted of ["draining", "restarting"] as const) {
    const silence = Array.from({ length: 34 }, () => silent())
    const ending = [launched, ready, want(wanted), ...silence] as const
    assert.strictEqual(after(...ending).action, undefined)
    assert.strictEqual(after(...ending).line, undefined)
    assert.strictEqual(after(...ending, silent()).action, "Kill")
  }
})

it("a single response resets the time limit of an unresponsive node", () => {
  const silence = Array.from({ length: 8 }, () => silent())
  assert.strictEqual(phase(launched, ready, ...silence, live), "Serving")
  assert.strictEqual(after(launched, ready, ...silence, live, ...silence).action, undefined)
})

it("counts at most two seconds for one missing response, because the supervisor itself might have been frozen", () => {
  assert.strictEqual(after(launched, ready, silent(60_000)).action, undefined)
  assert.strictEqual(phase(launched, ready, silent(60_000)), "Serving")
})

it("kills a starting node that has not responded for one minute", () => {
  const silence = Array.from({ length: 59 }, () => silent())
  assert.strictEqual(phase(launched, ...silence), "Starting")
  assert.strictEqual(after(launched, ...silence, silent()).action, "Kill")
})

it("restarts a crashed process after a delay that doubles up to fifteen seconds", () => {
  const untils: Array<number> = []
  let { life } = after(launched)
  for (let end = 0; end < 8; end++) {
    life = NodeLife.next(life, ended()[0], 0).life
    if (life.phase._tag === "BackingOff") untils.push(life.phase.untilMillis)
    life = NodeLife.next(life, launched[0], 0).life
  }
  assert.deepStrictEqual(untils, [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000])
})

it("starts a process only after its restart delay has ended", () => {
  assert.strictEqual(after(launched, ended(100), waited(349)).action, undefined)
  assert.strictEqual(after(launched, ended(100), waited(350)).action, "Launch")
})

it("resets the restart delay to its minimum after the process has served for half a minute", () => {
  const twice = [launched, ended(), launched, ended(), launched] as const
  assert.strictEqual(after(...twice, ready, ended()).line, "runner-1 exited (SIGKILL) and will be restarted in 1 s")
  const sound: TimedEvent = [{ _tag: "Answered", isReady: true }, 30_000]
  const { line } = after(...twice, ready, sound, ended(30_000))
  assert.strictEqual(line, "runner-1 exited (SIGKILL) and will be restarted in 0.25 s")
})

it("leaves a drained node stopped until an operator requests a restart", () => {
  const drained = [launched, ready, want("draining"), ended()] as const
  assert.strictEqual(after(...drained).line, "runner-1 is drained; npm run cluster -- restart runner-1 starts it again")
  assert.strictEqual(after(...drained, waited(1e9)).action, undefined)
  assert.strictEqual(after(...drained, want("draining"), waited(1e9)).action, undefined)
  assert.strictEqual(after(...drained, want("restarting"), waited(0)).action, "Launch")
})

it("restarts a node immediately if an operator requests it, however often the node has crashed", () => {
  const often = [launched, ended(), launched, ended(), launched, ready] as const
  assert.strictEqual(after(...often, want("restarting"), ended(5), waited(5)).action, "Launch")
  assert.strictEqual(after(launched, ended(5), want("restarting"), waited(5)).action, "Launch")
})

it("can drain a node while the node waits for its restart", () => {
  assert.strictEqual(phase(launched, ended(), want("draining")), "Drained")
})

it("reports a process id only while a process runs", () => {
  assert.strictEqual(NodeLife.pidOf(after(launched).life), 7)
  assert.strictEqual(NodeLife.pidOf(after(launched, ended()).life), undefined)
  assert.strictEqual(NodeLife.pidOf(after(launched, want("draining"), ended()).life), undefined)
})
