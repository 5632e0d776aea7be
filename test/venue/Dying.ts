/** A market whose owner crashes during a decision. */
import { type MarketEvent, marketStream } from "@venue/domain/Market"
import { Journal, type Owner } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { Effect, Layer } from "effect"
import { aapl } from "./Story.ts"

export type Instant = "before its row is committed" | "right after its row is committed"

/**
 * Crashes AAPL's owner once, at the first row with an event of this kind. The owner's memory is lost, and another
 * owner takes over.
 */
export const dying = (instant: Instant, tag: MarketEvent["_tag"]) => {
  let hasDied = false
  const dies = (owner: Owner): Owner => {
    const flying: Array<boolean> = []
    const die = (): undefined => {
      hasDied = true
      owner.lost("unknown")
    }
    return {
      ...owner,
      collect: () => {
        const row = owner.collect()
        if (row === undefined || hasDied) return row
        const isMeant = MarketRecord.decode(row.events).some(({ _tag }) => _tag === tag)
        if (isMeant && instant === "before its row is committed") return die()
        flying.push(isMeant)
        return row
      },
      committed: (seq) => (flying.shift() === true ? die() : owner.committed(seq))
    }
  }
  return Layer.effect(
    Journal,
    Effect.map(Journal, (inner) =>
      Journal.of({
        ...inner,
        append: (owner, from) => inner.append(owner.stream === marketStream(aapl) ? dies(owner) : owner, from)
      })
    )
  ).pipe(Layer.provide(Journal.layerMemory))
}
