import * as JS from "@venue/storage/JournalStatement"
import pg from "pg"
const c = new pg.Client(process.argv[2]!); await c.connect()
await c.query("set enable_seqscan=off; set plan_cache_mode=force_generic_plan; set jit=off")
const { text } = JS.ofDrafts([{ stream: "a", seq: 2, epoch: 1, events: new Uint8Array(1), alongside: [{ _tag: "WakeUp", userId: "u", reason: "joined", detail: "" }] }])
await c.query(`prepare q(text[],bigint[],int[],bytea[],text[],text[],text[],text[],text[],text[],text[],text[]) as ${text}`)
console.log((await c.query("explain execute q(null,null,null,null,null,null,null,null,null,null,null,null)")).rows.map((r) => r["QUERY PLAN"]).join("\n"))
await c.end()
