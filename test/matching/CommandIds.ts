/** The ids of commands, as the edge draws them and as an index likes them least. */
import { type Id, series, version4 } from "@venue/domain/Id"
import type { Chance } from "./Chance.ts"

/** Ids that have nothing in common, as the edge draws them, or often such that one place of an index is theirs all. */
export const names = ({ percent, whole }: Chance, style: "random" | "series" | "alike"): (() => Id) => {
  const draw = () => whole(0, 0xffffffff)
  const drawn = series(draw)
  if (style === "series") return drawn
  if (style === "random") return () => version4(draw(), draw(), draw(), draw())
  let last = drawn()
  return () => (last = percent(30) ? drawn() : alike(last, draw(), percent(50)))
}

/** Another in one word alone, whose last digit stays: the third, or the fourth. */
const alike = ({ a, b, c, d }: Id, drawn: number, isThird: boolean): Id =>
  isThird ? version4(a, b, drawn, d) : version4(a, b, c, (drawn & ~15) | (d & 15))
