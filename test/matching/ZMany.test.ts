import { difference } from "./Play.ts"
import { make, shrink } from "./Streams.ts"
import { it } from "vitest"
const from = Number(process.env.FROM ?? 1), to = Number(process.env.TO ?? 300), show = Number(process.env.SHOW ?? 3)
it("many", { timeout: 300_000 }, () => {
  let bad = 0, shown = 0; const classes = new Map<string, number>()
  for (let seed = from; seed <= to; seed++) {
    const d = difference(make(seed)); if (d === undefined) continue
    bad++
    const [twin, engine] = d.split("the twin says:")[1]!.split("the engine says:")
    const kind = (t: string) => t.trim().split("\n").map(l => l.trim().replace(/c\d+/g, "c").replace(/\d+/g, "n").slice(0, 60)).slice(0,3).join("; ")
    const k = kind(twin!) + "  |||  " + kind(engine!)
    classes.set(k, (classes.get(k) ?? 0) + 1)
    if (shown++ < show) { const s = shrink(make(seed), x => difference(x) !== undefined); console.log(difference(s)) }
  }
  console.log("bad", bad); for (const [k, n] of [...classes].sort((a,b)=>b[1]-a[1]).slice(0, 25)) console.log(n, k)
})
