/** The supervisor's rules of one process, as values. */
import { assert, it } from "@effect/vitest"
import type { Wanted } from "@venue/storage/nodes/Nodes"
import * as NodeLife from "../../../apps/cluster/NodeLife.ts"

type Told = readonly [happened: NodeLife.Happened, atMillis?: number]

const launched: Told = [{ _tag: "Launched", pid: 7 }]
const ready: Told = [{ _tag: "Answered", isReady: true }]
const live: Told = [{ _tag: "Answered", isReady: false }]
const silent = (millis = 1_000): Told => [{ _tag: "Unanswered", millis }]
const ended = (atMillis = 0): Told => [{ _tag: "Ended", how: "SIGKILL" }, atMillis]
const waited = (atMillis: number): Told => [{ _tag: "Waited" }, atMillis]
const want = (wanted: Wanted): Told => [{ _tag: "Wanted", wanted }]

/** What became of it, and what came of the last that happened. */
const after = (...told: ReadonlyArray<Told>): NodeLife.Next =>
  told.reduce<NodeLife.Next>(({ life }, [happened, atMillis = 0]) => NodeLife.next(life, happened, atMillis), {
    life: NodeLife.begun("runner-1")
  })
const phase = (...told: ReadonlyArray<Told>) => after(...told).life.phase._tag

it("a node is launched at once, and serves from the first time it says that it is ready", () => {
  assert.strictEqual(after(waited(0)).action, "Launch")
  assert.strictEqual(phase(launched), "Starting")
  assert.strictEqual(phase(launched, live), "Starting")
  assert.strictEqual(phase(launched, live, ready), "Serving")
})

it("a node that has answered nothing for nine seconds is killed, and not a moment before", () => {
  const silence = Array.from({ length: 8 }, () => silent())
  assert.strictEqual(phase(launched, ready, ...silence), "Silent")
  assert.strictEqual(after(launched, ready, ...silence).action, undefined)
  const killed = after(launched, ready, ...silence, silent())
  assert.strictEqual(killed.action, "Kill")
  assert.strictEqual(killed.line, "runner-1 has answered nothing for 9 s and is killed (pid 7)")
  assert.strictEqual(after(launched, ready, ...silence, silent(), silent()).action, undefined)
})

it("a node that hands over may be silent until it has ended by itself, for 35 seconds", () => {
  for (const wanted of ["draining", "restarting"] as const) {
    const silence = Array.from({ length: 34 }, () => silent())
    const ending = [launched, ready, want(wanted), ...silence] as const
    assert.strictEqual(after(...ending).action, undefined)
    assert.strictEqual(after(...ending).line, undefined)
    assert.strictEqual(after(...ending, silent()).action, "Kill")
  }
})

it("one answer ends a silence", () => {
  const silence = Array.from({ length: 8 }, () => silent())
  assert.strictEqual(phase(launched, ready, ...silence, live), "Serving")
  assert.strictEqual(after(launched, ready, ...silence, live, ...silence).action, undefined)
})

it("a supervisor that was frozen itself takes no node for silent: one question counts for two seconds at most", () => {
  assert.strictEqual(after(launched, ready, silent(60_000)).action, undefined)
  assert.strictEqual(phase(launched, ready, silent(60_000)), "Serving")
})

it("a node that starts may be silent for a minute", () => {
  const silence = Array.from({ length: 59 }, () => silent())
  assert.strictEqual(phase(launched, ...silence), "Starting")
  assert.strictEqual(after(launched, ...silence, silent()).action, "Kill")
})

it("what dies starts again after a pause that grows to fifteen seconds", () => {
  const untils: Array<number> = []
  let { life } = after(launched)
  for (let end = 0; end < 8; end++) {
    life = NodeLife.next(life, ended()[0], 0).life
    if (life.phase._tag === "BackingOff") untils.push(life.phase.untilMillis)
    life = NodeLife.next(life, launched[0], 0).life
  }
  assert.deepStrictEqual(untils, [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000])
})

it("the pause is over when it is, and not before", () => {
  assert.strictEqual(after(launched, ended(100), waited(349)).action, undefined)
  assert.strictEqual(after(launched, ended(100), waited(350)).action, "Launch")
})

it("half a minute of service makes the next end the first again", () => {
  const twice = [launched, ended(), launched, ended(), launched] as const
  assert.strictEqual(after(...twice, ready, ended()).line, "runner-1 ended (SIGKILL) and starts again in 1 s")
  const sound: Told = [{ _tag: "Answered", isReady: true }, 30_000]
  const { line } = after(...twice, ready, sound, ended(30_000))
  assert.strictEqual(line, "runner-1 ended (SIGKILL) and starts again in 0.25 s")
})

it("a drained node stays so until somebody wants it again", () => {
  const drained = [launched, ready, want("draining"), ended()] as const
  assert.strictEqual(after(...drained).line, "runner-1 is drained; npm run cluster -- restart runner-1 starts it again")
  assert.strictEqual(after(...drained, waited(1e9)).action, undefined)
  assert.strictEqual(after(...drained, want("draining"), waited(1e9)).action, undefined)
  assert.strictEqual(after(...drained, want("restarting"), waited(0)).action, "Launch")
})

it("a node that is wanted anew starts again at once, however often it died before", () => {
  const often = [launched, ended(), launched, ended(), launched, ready] as const
  assert.strictEqual(after(...often, want("restarting"), ended(5), waited(5)).action, "Launch")
  assert.strictEqual(after(launched, ended(5), want("restarting"), waited(5)).action, "Launch")
})

it("a node may be drained while it waits for its next start", () => {
  assert.strictEqual(phase(launched, ended(), want("draining")), "Drained")
})

it("only what runs has a process id", () => {
  assert.strictEqual(NodeLife.pidOf(after(launched).life), 7)
  assert.strictEqual(NodeLife.pidOf(after(launched, ended()).life), undefined)
  assert.strictEqual(NodeLife.pidOf(after(launched, want("draining"), ended()).life), undefined)
})
