/** Builds the AsyncAPI document of the market-data socket. */
import * as AsyncApi from "../AsyncApi.ts"
import { Channel, type Command, Subscribe, Unsubscribe } from "./CommandSchema.ts"
import { frames } from "./FrameMessage.ts"

const commands: Readonly<Record<Command["type"], AsyncApi.Command>> = {
  subscribe: AsyncApi.command(
    "Subscribes to each listed channel for each listed symbol. Current values are sent immediately.",
    ["subscribed", ...Channel.literals, "err"],
    Subscribe,
    { type: "subscribe", channels: ["bbo", "trade"], symbols: ["GOLD-USD", "AAPL-USD"] }
  ),
  unsubscribe: AsyncApi.command(
    "Unsubscribes from each listed channel for each listed symbol.",
    ["unsubscribed", "err"],
    Unsubscribe,
    {
      type: "unsubscribe",
      channels: ["bbo"],
      symbols: ["GOLD-USD"]
    }
  )
}

/** Builds the document; `url` is the socket's public URL. */
export const document = (url: string): AsyncApi.Document =>
  AsyncApi.document({
    name: "market_data",
    title: "Venue market data",
    description:
      "Public market data, from the client's point of view: `send` operations are commands, `receive` operations are " +
      "frames. Prices and sizes are decimal numbers in strings. The member `sequence` numbers the data frames of a " +
      "connection from 1 without gaps.",
    url,
    commands,
    frames,
    channels: Object.fromEntries(Channel.literals.map((channel) => [channel, [channel]])),
    upgrade: {},
    credentials: {}
  })
