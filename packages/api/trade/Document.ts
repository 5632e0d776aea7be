/** The AsyncAPI document of the trade socket, for an operator's header prefix. */
import * as AsyncApi from "../AsyncApi.ts"
import { headerName } from "../Headers.ts"
import { commands } from "./CommandMessage.ts"
import { type Channel, type MarketDataChannel } from "./CommandSchema.ts"
import { frames } from "./FrameMessage.ts"

export interface DocumentOptions {
  readonly brand: string
  /** Where clients find the socket. */
  readonly url: string
}

const channels: Readonly<Record<Channel | MarketDataChannel, ReadonlyArray<keyof typeof frames>>> = {
  order_responses: ["order_response", "twap_response"],
  fills: ["fill_response"],
  positions: ["position_response"],
  balances: ["balance_response"],
  stop_orders: ["stop_order_response"],
  cancel_on_disconnect: ["cancel_on_disconnect_flag"],
  market_stats: ["market_stats"],
  funding: ["funding"]
}

export const document = ({ brand, url }: DocumentOptions): AsyncApi.Document =>
  AsyncApi.document({
    name: "trade",
    title: "Venue trading",
    description:
      "Orders and accounts, told from the client's side: `send` is what a client sends. A command is a `type` and `params`; " +
      "a frame has one key that names it, or a `type`. Prices and quantities are JSON numbers in USD and base units. " +
      "There is no request id: answers come in the order of the commands of a symbol, and give ids back as " +
      "they were sent.",
    url,
    commands,
    frames,
    channels,
    upgrade: {
      query: {
        type: "object",
        properties: {
          api_key: { type: "string", description: "The public key of whoever signs in by one; it may be left out." },
          jwt: { type: "string", description: "The access token of whoever signs in by one; it may be left out." }
        }
      },
      headers: {
        type: "object",
        properties: {
          [headerName(brand, "builder-code")]: {
            type: "string",
            format: "uuid",
            description: "The builder code that orders of this connection carry, unless auth brings another."
          }
        }
      }
    },
    credentials: {
      hmac: {
        type: "apiKey",
        in: "user",
        description:
          "The `hmac` of the message `auth`: the public key, a nonce, Unix seconds, and the hexadecimal HMAC-SHA256 of " +
          "`<nonce>:<unix_ts>` by the secret key."
      },
      jwt: {
        type: "http",
        scheme: "bearer",
        bearerFormat: "JWT",
        description: "The `jwt` of the message `auth`: an access token of a session."
      }
    }
  })
