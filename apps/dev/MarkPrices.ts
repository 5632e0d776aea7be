/** The public market-data socket, as far as our own programs watch it. */
import { type Effect, Option, Schema } from "effect"
import { type Backoff, keepOpen, patient } from "./ReconnectingSocket.ts"

const Levels = Schema.Array(Schema.Tuple([Schema.String, Schema.String]))

const Tick = Schema.Union([
  Schema.Struct({ type: Schema.Literal("mark_price"), symbol: Schema.String, price: Schema.String }),
  Schema.Struct({ type: Schema.Literal("bbo"), symbol: Schema.String, bid: Levels, ask: Levels })
])
export type Tick = typeof Tick.Type

export interface WatchOptions {
  readonly url: string
  readonly channels: ReadonlyArray<Tick["type"]>
  /** `["*"]` for all. */
  readonly symbols: ReadonlyArray<string>
  readonly backoff?: Backoff
}

/** Hands over each value for as long as it runs. */
export const watch = (options: WatchOptions, received: (tick: Tick) => void): Effect.Effect<never> =>
  keepOpen(
    options.url,
    {
      opened: (session) => {
        session.send(JSON.stringify({ type: "subscribe", channels: options.channels, symbols: options.symbols }))
      },
      received: (text, session) => {
        session.established()
        const tick = read(text)
        if (Option.isSome(tick)) received(tick.value)
      },
      closed: () => {}
    },
    options.backoff ?? patient
  )

const read = Schema.decodeUnknownOption(Schema.fromJsonString(Tick))
