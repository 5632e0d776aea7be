/** Collects everything that a venue under test logs, at every level, and every span, to search them for secrets. */
import { Exit, Layer, Logger, References, Tracer } from "effect"
import { Buffer } from "node:buffer"

export const make = () => {
  const logs: Array<string> = []
  const spans: Array<Tracer.NativeSpan> = []
  const layer = Layer.mergeAll(
    Logger.layer([Logger.make((entry) => void logs.push(Logger.formatLogFmt.log(entry)))]),
    Layer.succeed(References.MinimumLogLevel, "All"),
    Layer.succeed(
      Tracer.Tracer,
      Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
    )
  )
  return { layer, log: () => logs.join("\n"), traced: () => spans.map(textOf).join("\n") }
}

const textOf = ({ attributes, events, name, status }: Tracer.NativeSpan) => {
  const failure = status._tag === "Ended" && Exit.isFailure(status.exit) ? String(status.exit) : ""
  return JSON.stringify([name, ...attributes, events.map(([event, , attributes]) => [event, attributes]), failure])
}

/** Returns the text, its hexadecimal form, and its base64 form at each of the three alignments. */
const formsOf = (text: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(text)
  const parts = [0, 1, 2].flatMap((offset) => {
    const length = Math.floor(((offset + bytes.length) * 8) / 6)
    const padded = Buffer.concat([Buffer.alloc(offset), bytes])
    return (["base64", "base64url"] as const).map((form) =>
      padded.toString(form).slice(offset === 0 ? 0 : offset + 1, length)
    )
  })
  return [text, bytes.toString("hex"), ...parts]
}

export const isIn = (where: string, text: string): boolean => formsOf(text).some((form) => where.includes(form))
