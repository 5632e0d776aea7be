/** Tests that the trade socket's hand-written decoder accepts exactly the frames that the Schemas accept. */
import * as Read from "@venue/api/trade/Command"
import * as Written from "@venue/api/trade/CommandSchema"
import { expect, it } from "@effect/vitest"
import { Redacted, Schema } from "effect"
import * as fc from "fast-check"
import { faultOf } from "../../SocketFrames.ts"

const read = (message: unknown) => Read.decode(JSON.stringify(message))
const accepts = (message: unknown): boolean => Schema.decodeUnknownResult(Written.Command)(message)._tag === "Success"

/** Returns a command's meaning, independently of the decoder. */
const meaning = ({ params, type }: Written.Command): unknown => {
  switch (type) {
    case "add_order":
      return {
        _tag: "AddOrder",
        symbol: params.symbol,
        side: params.side,
        type: params.order_type,
        timeInForce: params.order_time_in_force,
        price: params.order_type === "MARKET" ? 0 : params.price,
        quantity: params.quantity,
        reduceOnly: params.reduce_only ?? false,
        clientOrderId: params.client_order_id ?? "",
        ...(params.take_profit ? { takeProfit: params.take_profit } : {}),
        ...(params.stop_loss ? { stopLoss: params.stop_loss } : {})
      }
    case "preview_order":
      return "close_position" in params
        ? {
            _tag: "PreviewOrder",
            order: {
              _tag: "ClosePosition",
              symbol: params.symbol,
              clientOrderId: params.client_order_id ?? ""
            }
          }
        : { _tag: "PreviewOrder", order: meaning({ type: "add_order", params }) }
    case "modify_order":
      return {
        _tag: "ModifyOrder",
        symbol: params.symbol,
        orderId: params.order_id,
        side: params.side,
        type: params.order_type,
        price: params.price ?? 0,
        quantity: params.quantity ?? 0,
        reduceOnly: params.reduce_only,
        ...(params.take_profit === undefined || params.take_profit === null ? {} : { takeProfit: params.take_profit }),
        ...(params.stop_loss === undefined || params.stop_loss === null ? {} : { stopLoss: params.stop_loss })
      }
    case "cancel_order": {
      const { symbol } = params
      const kind = params.cancel_order_id_type ?? "client_order_id"
      const id = "client_order_id" in params ? params.client_order_id : params.order_id
      return kind === "twap_id" || kind === "client_twap_id"
        ? { _tag: "CancelTwap", symbol, twapId: id, byClientTwapId: kind === "client_twap_id" }
        : { _tag: "CancelOrder", symbol, orderId: id, byClientOrderId: kind === "client_order_id" }
    }
    case "cancel_all_orders":
      return { _tag: "CancelAllOrders", symbol: params.symbol ?? null }
    case "close_position":
      return { _tag: "ClosePosition", symbol: params.symbol, clientOrderId: params.client_order_id ?? "" }
    case "cancel_stop_order":
      return { _tag: "CancelStopOrder", stopOrderId: params.stop_order_id }
    case "modify_stop_order":
      return {
        _tag: "ModifyStopOrder",
        symbol: params.symbol,
        stopOrderId: params.stop_order_id,
        side: params.side ?? null,
        type: params.order_type ?? null,
        price: params.price ?? 0,
        quantity: params.quantity ?? 0
      }
    case "add_twap":
      return {
        _tag: "AddTwap",
        symbol: params.symbol,
        side: params.side,
        totalQuantity: params.total_quantity,
        slices: params.num_orders,
        intervalSeconds: params.order_interval_secs,
        reduceOnly: params.reduce_only,
        clientTwapId: params.client_twap_id ?? "",
        startMillis: millis(params.start_time) ?? 0,
        worstPrice: params.worst_price ?? 0
      }
    case "get_order":
      return { _tag: "GetOrder", symbol: params.symbol, orderId: params.order_id }
    case "get_user_orders":
      return { _tag: "GetUserOrders", ...page(params), symbol: params.symbol ?? null }
    case "get_user_trades":
      return {
        _tag: "GetUserTrades",
        ...page(params),
        orderId: params.order_id || null,
        startMillis: millis(params.start_ts),
        endMillis: millis(params.end_ts)
      }
    case "get_user_leverage":
      return { _tag: "GetUserLeverage", ...page(params) }
    case "get_available_leverage_levels":
      return { _tag: "GetAvailableLeverageLevels", ...page(params) }
    case "set_user_leverage":
      return { _tag: "SetUserLeverage", symbol: params.symbol, leverage: params.leverage }
    case "auth":
      return {
        _tag: "Auth",
        credential: credential(params),
        accountId: params.account_id ? params.account_id.toLowerCase() : null,
        builderCode: (params.builder_code ?? null) === null ? null : builderCode(params.builder_code!)
      }
    case "subscribe":
      return { _tag: "Subscribe", ...channelsOf(type, params) }
    case "unsubscribe":
      return { _tag: "Unsubscribe", ...channelsOf(type, params) }
    case "cancel_on_disconnect":
      return { _tag: "CancelOnDisconnect", armed: params.cancel_on_disconnect }
    case "cancel_all_after":
      return { _tag: "CancelAllAfter", timeoutSeconds: params.timeout_secs }
  }
}

/** Drops market-data channels, which another decoder handles. */
const channelsOf = (
  type: "subscribe" | "unsubscribe",
  { channels, symbols }: (typeof Written.Subscribe.Type)["params"]
) => {
  const isMarketData = (name: string) => name === "market_stats" || name === "funding"
  return {
    channels: [...new Set(channels.filter((name) => !isMarketData(name)))],
    declined: [],
    ...(channels.some(isMarketData) ? { marketData: { type, channels: channels.filter(isMarketData), symbols } } : {})
  }
}

/** Returns an empty string for text that is not a builder code. */
const builderCode = (text: string): string => (/^[0-9a-f-]{36}$/i.test(text) ? text.toLowerCase() : "")

const page = (params: { readonly limit?: number | null; readonly offset?: number | null }) => ({
  limit: params.limit ?? 1_000,
  offset: params.offset ?? 0
})

const millis = (moment: number | null | undefined): number | null =>
  moment === null || moment === undefined ? null : Math.round(moment >= 1e11 ? moment : moment * 1_000)

const credential = (params: (typeof Written.Auth.Type)["params"]) =>
  typeof params.jwt === "string"
    ? { _tag: "Token", jwt: params.jwt }
    : {
        _tag: "Hmac",
        publicKey: params.hmac?.public_key,
        nonce: params.hmac?.nonce,
        unixSeconds: params.hmac?.unix_ts,
        signature: params.hmac?.signature
      }

/** Reveals secrets for comparison. */
const open = (command: ReturnType<typeof read>): unknown => {
  if (command._tag !== "Auth") return json(command)
  const entries = Object.entries(command.credential).map(([name, value]) => [
    name,
    Redacted.isRedacted(value) ? Redacted.value(value) : value
  ])
  return json({ ...command, credential: Object.fromEntries(entries) })
}

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

for (const schema of Written.Command.members) {
  const name = schema.fields.type.literal

  it.prop(
    `${name}: decodes every message that the Schema accepts to the command with the same meaning`,
    [schema],
    ([message]) => {
      expect(open(read(message))).toEqual(json(meaning(message)))
      expect(faultOf("trade", message.type, message)).toBeUndefined()
    }
  )

  it.prop(
    `${name}: decodes or refuses a randomly altered message exactly as the Schema does`,
    [schema],
    ([message]) => {
      fc.assert(
        fc.property(changed(message), (other) => {
          const command = read(other)
          const isRefused = command._tag === "Malformed" || ("declined" in command && command.declined.length > 0)
          expect([isRefused, other]).toEqual([!accepts(other), other])
          if (!isRefused) expect(open(command)).toEqual(json(meaning(Schema.decodeUnknownSync(Written.Command)(other))))
        }),
        { numRuns: 20 }
      )
    }
  )
}

it("the Schema accepts decimal text for numbers, 0 and 1 for booleans, and null for absent members", () => {
  const params = { symbol: "GOLD-USD", side: "BUY", order_type: "LIMIT", order_time_in_force: "GTC" }
  const alternatives = {
    ...params,
    quantity: "2.50",
    price: "3411.2",
    reduce_only: 1,
    stop_loss: "0",
    client_order_id: null
  }
  expect(accepts({ type: "add_order", params: alternatives })).toBe(true)
  expect(read({ type: "add_order", params: alternatives })).toMatchObject({
    quantity: 2.5,
    price: 3411.2,
    reduceOnly: true
  })
})

/** Generates the message with one field removed or replaced by any JSON value. */
const changed = (message: Written.Command): fc.Arbitrary<unknown> => {
  const params: Readonly<Record<string, unknown>> = message.params
  const names = [...new Set([...Object.keys(params), ...fieldNames])].filter((name) => name !== "symbols")
  return fc
    .record({
      name: fc.constantFrom(...names),
      value: fc.oneof(values, fc.jsonValue({ maxDepth: 1 })),
      out: fc.boolean()
    })
    .map(({ name, out, value }) => {
      const { [name]: _, ...others } = params
      return { type: message.type, params: out ? others : { ...others, [name]: value } }
    })
}

const fieldNames = [
  "symbol",
  "order_id",
  "client_order_id",
  "cancel_order_id_type",
  "price",
  "quantity",
  "timeout_secs",
  "reduce_only",
  "take_profit",
  "limit",
  "offset",
  "channels",
  "hmac",
  "jwt",
  "account_id"
]

/** Values on both sides of the decoder's bounds, and values of the wrong type. */
const values = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    "",
    0,
    1,
    -1,
    1.5,
    true,
    false,
    [],
    {},
    "x".repeat(64),
    "x".repeat(65),
    "é",
    "0",
    "-0"
  ),
  fc.constantFrom<unknown>(
    "1.50",
    4,
    5,
    600,
    601,
    "1e3",
    " 1",
    "01",
    1_000,
    1_001,
    8.64e15,
    8.65e15,
    2 ** 53,
    1e300,
    "9".repeat(40)
  ),
  fc.constantFrom<unknown>("BUY", "sell", "GTC", "MARKET", "LIMIT", "order_id", "client_twap_id", "client_order_id"),
  fc.constantFrom<unknown>(["fills"], ["fills", "fills"], ["fills", "trades"], ["funding"], [null]),
  fc.uuid(),
  fc.uuid().map((id) => id.toUpperCase())
)
