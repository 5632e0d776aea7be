/** The AsyncAPI document of the market-data socket. */
import * as AsyncApi from "../AsyncApi.ts"
import { Channel, type Command, Subscribe, Unsubscribe } from "./CommandSchema.ts"
import { frames } from "./FrameMessage.ts"

const commands: Readonly<Record<Command["type"], AsyncApi.Command>> = {
  subscribe: AsyncApi.command(
    "Asks to be told on all of these channels of all of these symbols. What is known already is told at once.",
    ["subscribed", ...Channel.literals, "err"],
    Subscribe,
    { type: "subscribe", channels: ["bbo", "trade"], symbols: ["GOLD-USD", "AAPL-USD"] }
  ),
  unsubscribe: AsyncApi.command("Ends what subscribe began.", ["unsubscribed", "err"], Unsubscribe, {
    type: "unsubscribe",
    channels: ["bbo"],
    symbols: ["GOLD-USD"]
  })
}

/** `url` is where clients find the socket. */
export const document = (url: string): AsyncApi.Document =>
  AsyncApi.document({
    name: "market_data",
    title: "Venue market data",
    description:
      "What anybody may hear of the markets, told from the client's side: `send` is what a client sends. " +
      "Prices and sizes are decimal text. `sequence` counts the data frames of a connection from 1, so that a " +
      "hole shows.",
    url,
    commands,
    frames,
    channels: Object.fromEntries(Channel.literals.map((channel) => [channel, [channel]])),
    upgrade: {},
    credentials: {}
  })
