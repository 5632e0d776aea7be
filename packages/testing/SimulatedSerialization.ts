/**
 * Passes calls between entities of one node through their message codecs, so that a value that cannot be encoded
 * causes a failure.
 */
import { Interception, type LocalDesk, type LocalMarket } from "@venue/cluster/clients/LocalEntities"
import { AccountSummary, Read, Submission, Submitted } from "@venue/cluster/protocol/Desk"
import { DepthAt, TraderViews, Viewer, Watched } from "@venue/cluster/protocol/Market"
import * as Runner from "@venue/cluster/Runner"
import { TraderCommand } from "@venue/domain/Market"
import { MarketPreview, PreviewCommand } from "@venue/domain/Preview"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { Effect, Layer, Schema } from "effect"

const desk = (local: LocalDesk): LocalDesk => ({
  ...local,
  submit: (submissions) => unlessUndefined(local.submit(throughSubmissions(submissions)), throughSubmitted),
  summary: (read) => unlessUndefined(local.summary(throughRead(read)), throughSummary)
})

const market = (local: LocalMarket): LocalMarket => ({
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
})

/** Interception of desks and markets that encodes and decodes every message, and throws on an invalid message. */
export const codecs: Interception = { desk, market }

/** Applies `codecs` to every entity of a node. */
export const layer = Layer.succeed(Interception)(codecs)

/** A one-process cluster in which all messages between entities pass through their codecs. */
export const layerAlone = Layer.merge(Runner.alone({ simulate: true }), layer)

const unlessUndefined = <A>(value: A | undefined, through: (value: A) => A) =>
  value === undefined ? undefined : through(value)

/** Returns a function that encodes a value as JSON text and decodes it again. */
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
