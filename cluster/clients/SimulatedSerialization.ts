/** Entities of this node that are called as functions, by messages that go through their codec: what cannot travel fails. */
import { TraderCommand } from "@venue/domain/Market"
import { MarketPreview, PreviewCommand } from "@venue/domain/Preview"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { Context, Effect, Schema } from "effect"
import { AccountSummary, Read, Submission, Submitted } from "../protocol/Desk.ts"
import { DepthAt, TraderViews, Viewer, Watched } from "../protocol/Market.ts"
import type { LocalDesk, LocalMarket } from "./LocalEntities.ts"

/** For tests; the cluster has a setting of its own for what it carries within one node. */
export const SimulatedSerialization = Context.Reference<boolean>("@venue/cluster/clients/SimulatedSerialization", {
  defaultValue: () => false
})

/** The desk as it is, or through its codec. */
export const desk = (local: LocalDesk) =>
  Effect.map(SimulatedSerialization, (isSimulated): LocalDesk => {
    if (!isSimulated) return local
    const told = <A>(value: A | undefined, through: (value: A) => A) => (value === undefined ? value : through(value))
    return {
      ...local,
      submit: (submissions) => told(local.submit(throughSubmissions(submissions)), throughSubmitted),
      summary: (asked) => told(local.summary(throughRead(asked)), throughSummary)
    }
  })

/** The market as it is, or through its codec. */
export const market = (local: LocalMarket) =>
  Effect.map(SimulatedSerialization, (isSimulated): LocalMarket => {
    if (!isSimulated) return local
    return {
      ...local,
      submit: (commands, done) => local.submit(throughCommands(commands), done),
      watch: (watcher) =>
        local.watch({
          ...watcher,
          batch: (batch) =>
            watcher.batch({
              ...batch,
              events: batch.row.length === 0 ? [] : MarketRecord.decode(batch.row),
              levels: throughLevels(batch.levels)
            })
        }),
      view: (traders) => Effect.map(local.view(throughViewers(traders)), throughViews),
      depth: Effect.map(local.depth, throughDepth),
      preview: (command) => Effect.map(local.preview(throughPreviewed(command)), throughPreview)
    }
  })

/** There and back, as text. */
const through = <A, I>(schema: Schema.Codec<A, I>): ((value: A) => A) => {
  const codec = Schema.toCodecJson(schema)
  const encode = Schema.encodeSync(codec)
  const decode = Schema.decodeSync(codec)
  return (value) => decode(JSON.parse(JSON.stringify(encode(value))))
}

const throughSubmissions = through(Schema.Array(Submission))
const throughSubmitted = through(Schema.Array(Submitted))
const throughRead = through(Read)
const throughSummary = through(AccountSummary)
const throughCommands = through(Schema.Array(TraderCommand))
const throughLevels = through(Watched.fields.levels)
const throughViewers = through(Schema.Array(Viewer))
const throughViews = through(TraderViews)
const throughDepth = through(DepthAt)
const throughPreviewed = through(PreviewCommand)
const throughPreview = through(MarketPreview)
