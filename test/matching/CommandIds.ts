/** Command ids as the gateway draws them, and ids that collide in an index. */
import { type Id, series, version4 } from "@venue/domain/Id"
import type { Chance } from "./Chance.ts"

/** Returns a function that draws ids: independent ids, ids in series, or ids that often share an index bucket. */
export const names = ({ percent, whole }: Chance, style: "random" | "series" | "alike"): (() => Id) => {
  const draw = () => whole(0, 0xffffffff)
  const drawn = series(draw)
  if (style === "series") return drawn
  if (style === "random") return () => version4(draw(), draw(), draw(), draw())
  let last = drawn()
  return () => (last = percent(30) ? drawn() : alike(last, draw(), percent(50)))
}

/** Returns an id that differs only in the third or the fourth word and has the same last digit. */
const alike = ({ a, b, c, d }: Id, drawn: number, isThird: boolean): Id =>
  isThird ? version4(a, b, drawn, d) : version4(a, b, c, (drawn & ~15) | (d & 15))
