import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, Redacted } from "effect"
import { Journal } from "@venue/storage/Journal"
import pg from "pg"
const url = process.argv[2]!
const layer = Journal.layer.pipe(Layer.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 10 })))
const q = (xs: number[], p: number) => xs.sort((a, b) => a - b)[Math.floor(xs.length * p)]!.toFixed(3)
const bytes = new Uint8Array(500).fill(7)
const open = (journal: any, stream: string, onCommit: (s: number) => void) => Effect.gen(function* () {
  const claimed = yield* journal.claim(stream, { restore() {}, replay() {} }, Effect.succeed(true))
  let dirty = false
  const appender = journal.append({ stream, seal: () => { if (!dirty) return undefined; dirty = false; return { events: bytes } }, committed: onCommit, lost: (w: string) => console.log("LOST", stream, w) }, claimed)
  return () => { dirty = true; appender.wake() }
})
const program = Effect.gen(function* () {
  const journal = yield* Journal
  const tag = String(process.pid)
  const client = new pg.Client(url); yield* Effect.promise(() => client.connect())
  yield* Effect.promise(() => client.query("create table if not exists plain (id bigserial primary key, events bytea)"))
  let cb = (_: number) => {}
  const say = yield* open(journal, "lone" + tag, (s) => cb(s))
  const lone = () => new Promise<number>((r) => { const t = performance.now(); cb = () => r(performance.now() - t); say() })
  const plain = async () => { const t = performance.now(); await client.query({ name: "p", text: "insert into plain (events) values ($1)", values: [bytes] }); return performance.now() - t }
  for (let round = 0; round < 3; round++) {
    const a: number[] = [], b: number[] = []
    for (let i = 0; i < 1500; i++) { b.push(yield* Effect.promise(plain)); a.push(yield* Effect.promise(lone)) }
    if (round > 0) console.log("lone append p50/p99 ms", q(a, .5), q(a, .99), " plain pg", q(b, .5), q(b, .99))
  }
  for (const n of [1, 2, 16, 200]) {
    let commits = 0, flushes = 0, lastTick = -1
    const says: Array<() => void> = []
    for (let i = 0; i < n; i++) {
      const at = i
      says.push(yield* open(journal, `m${n}-${i}-${tag}`, () => { commits++; if (at === 0) flushes++; says[at]!() }))
    }
    const cpu0 = process.cpuUsage(), t0 = performance.now()
    for (const s of says) s()
    yield* Effect.sleep(3000)
    const cpu = process.cpuUsage(cpu0), dt = performance.now() - t0
    console.log(`${n} streams constant: flushes/s ${(flushes / dt * 1000).toFixed(0)} ms/flush ${(dt / flushes).toFixed(3)} node cpu us/flush ${((cpu.user + cpu.system) / flushes).toFixed(1)} commits ${commits}`)
    for (let i = 0; i < n; i++) says[i] = () => {}
    yield* Effect.sleep(200)
  }
  yield* Effect.promise(() => client.end())
})
await Effect.runPromise(program.pipe(Effect.provide(layer)) as any)
