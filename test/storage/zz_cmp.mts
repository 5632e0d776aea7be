import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as JournalStatement from "@venue/storage/JournalStatement"
import pg from "pg"
const url = process.argv[2]!
const bytes = new Uint8Array(500).fill(7)
const q = (xs: number[], p: number) => xs.sort((a, b) => a - b)[Math.floor(xs.length * p)]!.toFixed(3)
const run = async (name: string, f: (i: number) => Promise<unknown>) => {
  for (let i = 0; i < 300; i++) await f(i)
  const xs: number[] = []; const c = process.cpuUsage()
  for (let i = 300; i < 2300; i++) { const t = performance.now(); await f(i); xs.push(performance.now() - t) }
  const d = process.cpuUsage(c)
  console.log(name.padEnd(40), "p50", q(xs, .5), "p90", q(xs, .9), "cpu us", ((d.user + d.system) / 2000).toFixed(1))
}
const client = new pg.Client(url); await client.connect()
await client.query("set enable_seqscan=off"); await client.query("set plan_cache_mode=force_generic_plan")
const tag = Math.random().toString(36)
await client.query("insert into journal (stream, seq, epoch, events) values ($1,1,1,'')", ["s1" + tag])
await client.query("insert into journal (stream, seq, epoch, events) values ($1,1,1,'')", ["s2" + tag])
await client.query("insert into journal (stream, seq, epoch, events) values ($1,1,1,'')", ["s3" + tag])
const draft = (s: string, i: number) => [{ stream: s + tag, seq: i + 2, epoch: 1, events: bytes, alongside: [] }]
const single = `insert into journal (stream, seq, epoch, events) select $1, $2, $3, $4 where (select p.epoch from journal p where p.stream = $1 and p.seq = $2 - 1) = $3 on conflict do nothing returning stream, epoch`
await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const c = yield* sql.reserve
  yield* c.executeValues("select set_config('enable_seqscan', 'off', false), set_config('plan_cache_mode','force_generic_plan',false)", [])
  for (let k = 0; k < 2; k++) {
    let b3 = k * 3000
    yield* Effect.promise(() => run("pg plain insert", () => client.query({ name: "p", text: "insert into plain (events) values ($1)", values: [bytes] })))
    yield* Effect.promise(() => run("pg plain insert w/ text pk noconf", (i) => client.query({ name: "p2", text: "insert into journal (stream,seq,epoch,events) values ($1,$2,1,$3)", values: ["x" + tag, b3 + i + 2, bytes] })))
    const st = JournalStatement.ofDrafts(draft("s1", 0)).text
    yield* Effect.promise(() => run("pg same statement", (i) => client.query({ name: "p3", text: st, values: [["s1" + tag], [b3 / 3000 * 2300 + i + 2], [1], [bytes]] })))
    yield* Effect.promise(() => run("sql-pg same statement", (i) => { const d = JournalStatement.ofDrafts(draft("s2", b3 / 3000 * 2300 + i)); return new Promise((r) => Effect.runFork(c.executeValues(d.text, d.parameters)).addObserver(r)) }))
    yield* Effect.promise(() => run("sql-pg select 1", () => new Promise((r) => Effect.runFork(c.executeValues("select 1", [])).addObserver(r))))
    yield* Effect.promise(() => run("pg select 1", () => client.query({ name: "p4", text: "select 1", values: [] })))
  }
})).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url) }))))
await client.end()
