/** Builds the AsyncAPI document of the trade socket. */
import * as AsyncApi from "../AsyncApi.ts"
import { headerName } from "../Headers.ts"
import { commands } from "./CommandMessage.ts"
import { type Channel, type MarketDataChannel } from "./CommandSchema.ts"
import { frames } from "./FrameMessage.ts"

/** Settings of the document. */
export interface DocumentOptions {
  readonly brand: string
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

/** Builds the AsyncAPI document of the trade socket. */
export const document = ({ brand, url }: DocumentOptions): AsyncApi.Document =>
  AsyncApi.document({
    name: "trade",
    title: "Venue trading",
    description:
      "Orders and accounts, from the client's point of view: `send` operations are commands, `receive` operations are " +
      "frames. A command has a `type` and `params`. A frame is identified by its key, or by its `type`. Prices are JSON " +
      "numbers in USD per base unit, quantities are JSON numbers in base units. Commands have no request id: the answers " +
      "for a symbol are sent in the order of its commands and contain the client's ids.",
    url,
    commands,
    frames,
    channels,
    upgrade: {
      query: {
        type: "object",
        properties: {
          api_key: { type: "string", description: "Public key of the API key used later in `auth`; optional." },
          jwt: { type: "string", description: "Access token used later in `auth`; optional." }
        }
      },
      headers: {
        type: "object",
        properties: {
          [headerName(brand, "builder-code")]: {
            type: "string",
            format: "uuid",
            description: "Builder code for the orders of this connection, unless `auth` sends another code."
          }
        }
      }
    },
    credentials: {
      hmac: {
        type: "apiKey",
        in: "user",
        description:
          "Member `hmac` of the command `auth`: public key, nonce, time in Unix seconds, and signature. The signature " +
          "is the HMAC-SHA256 of `<nonce>:<unix_ts>` with the secret key, in hexadecimal."
      },
      jwt: {
        type: "http",
        scheme: "bearer",
        bearerFormat: "JWT",
        description: "Member `jwt` of the command `auth`: the access token of a session."
      }
    }
  })
