/** `POST /user/orders/preview`: an order's expected result; the order is not placed. */
import { OrderType, type PlaceOrder, Side, TimeInForce } from "@venue/domain/Order"
import * as Text from "@venue/domain/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { NumberOrText, SchemaLink, Uuid } from "../Body.ts"
import { PreviewParts } from "../OrderPreview.ts"
import { ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"
import { operation } from "../Operation.ts"

const Decimal = NumberOrText(Schema.Finite)
/** Returns a member with the price of an attached stop. */
const Trigger = (what: string) =>
  Schema.optionalKey(
    NumberOrText(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))).annotate({
      description: `${what}, in USD per base unit. Not attached if 0 or omitted.`,
      examples: [0]
    })
  )

/** Body of `POST /user/orders/preview`. */
export const PreviewOrderRequestBody = Schema.Struct({
  $schema: SchemaLink,
  symbol: Schema.String.check(Text.atMost(64)).annotate({
    description: "Market symbol.",
    examples: ["GOLD-USD"]
  }),
  side: Side.annotate({ description: "Order side." }),
  order_type: OrderType.annotate({ description: "Order type." }),
  order_time_in_force: TimeInForce.annotate({
    description: "Time in force: `GTC` stays open until cancelled; `IOC` and `FOK` end immediately."
  }),
  quantity: Decimal.annotate({ description: "Quantity, in base units; a multiple of the lot size.", examples: [2.5] }),
  price: Schema.optionalKey(
    Decimal.annotate({
      description:
        "Limit price, in USD per base unit; a multiple of the tick size. Required unless order_type is MARKET.",
      examples: [3411.2]
    })
  ),
  reduce_only: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Whether the order can only reduce a position. Default: false." })
  ),
  take_profit: Trigger("Mark price at which an attached take-profit closes the position"),
  stop_loss: Trigger("Mark price at which an attached stop-loss closes the position"),
  builder_code: Schema.optionalKey(
    Uuid.annotate({
      description: "Builder code of the order. Default: no builder code.",
      examples: ["5b6d0a52-8f21-4f7a-9d0e-3c1b7a9e2f40"]
    })
  )
})
  .annotate({ description: "Order to preview, with a price unless order_type is MARKET." })
  .check(
    Schema.makeFilter(({ order_type, price }) => order_type === "MARKET" || price !== undefined, {
      expected: "a price unless order_type is MARKET"
    })
  )
  .annotate({ identifier: "PreviewOrderRequestBody" })

/** Body of `POST /user/orders/preview` for a close of the whole position. */
export const PreviewCloseRequestBody = Schema.Struct({
  $schema: SchemaLink,
  symbol: Schema.String.check(Text.atMost(64)).annotate({
    description: "Market symbol.",
    examples: ["AAPL-USD"]
  }),
  close_position: Schema.Literal(true).annotate({
    description: "Always true: previews a close of the whole position."
  }),
  builder_code: Schema.optionalKey(
    Uuid.annotate({
      description: "Builder code of the order. Default: no builder code.",
      examples: ["5b6d0a52-8f21-4f7a-9d0e-3c1b7a9e2f40"]
    })
  )
}).annotate({ identifier: "PreviewCloseRequestBody" })

/** Response body of `POST /user/orders/preview`. */
export const PreviewOrderResponseBody = Schema.Struct({
  $schema: SchemaLink,
  ...PreviewParts
}).annotate({ identifier: "PreviewOrderResponseBody" })

export const OrderPreviewGroup = HttpApiGroup.make("orderPreview")
  .add(
    HttpApiEndpoint.post("previewOrder", "/user/orders/preview", {
      payload: Schema.Union([PreviewCloseRequestBody, PreviewOrderRequestBody]),
      success: PreviewOrderResponseBody,
      error: ServiceUnavailable
    }).annotateMerge(
      operation(
        "Preview an order",
        "Returns the fills, fees, margin and refusal that an order, or a close of the whole position, would " +
          "have now, without placing the order. Returns 200 with `refusal` if the rules of the market would refuse the " +
          "order, and 422 for an invalid body."
      )
    )
  )
  .middleware(Authenticated)

/** Returns the placement to preview, which has no account, ids or time. */
export const placementOf = (
  body: typeof PreviewOrderRequestBody.Type
): Pick<
  PlaceOrder,
  "side" | "type" | "timeInForce" | "price" | "quantity" | "reduceOnly" | "takeProfit" | "stopLoss"
> => ({
  side: body.side,
  type: body.order_type,
  timeInForce: body.order_time_in_force,
  price: body.order_type === "MARKET" ? 0 : (body.price ?? 0),
  quantity: body.quantity,
  reduceOnly: body.reduce_only ?? false,
  ...((body.take_profit ?? 0) === 0 ? {} : { takeProfit: body.take_profit! }),
  ...((body.stop_loss ?? 0) === 0 ? {} : { stopLoss: body.stop_loss! })
})
