/** `POST /user/orders/preview`: what an order would come to if it were placed now. */
import { OrderType, type PlaceOrder, Side, TimeInForce } from "@venue/domain/Order"
import * as Text from "@venue/domain/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { NumberOrText, SchemaLink, Uuid } from "../Body.ts"
import { PreviewParts } from "../OrderPreview.ts"
import { ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"

const Decimal = NumberOrText(Schema.Finite)
/** The price of a stop that the order brings; 0 is none. */
const Trigger = Schema.optionalKey(NumberOrText(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))))

export const PreviewOrderRequestBody = Schema.Struct({
  $schema: SchemaLink,
  symbol: Schema.String.check(Text.atMost(64)),
  side: Side,
  order_type: OrderType,
  order_time_in_force: TimeInForce,
  quantity: Decimal,
  price: Schema.optionalKey(Decimal),
  reduce_only: Schema.optionalKey(Schema.Boolean),
  take_profit: Trigger,
  stop_loss: Trigger,
  builder_code: Schema.optionalKey(Uuid)
})
  .annotate({ description: "An order as it would be placed. It needs a price, but for MARKET." })
  .check(
    Schema.makeFilter(({ order_type, price }) => order_type === "MARKET" || price !== undefined, {
      expected: "a price, but for MARKET"
    })
  )
  .annotate({ identifier: "PreviewOrderRequestBody" })

/** Of the whole position. */
export const PreviewCloseRequestBody = Schema.Struct({
  $schema: SchemaLink,
  symbol: Schema.String.check(Text.atMost(64)),
  close_position: Schema.Literal(true),
  builder_code: Schema.optionalKey(Uuid)
}).annotate({ identifier: "PreviewCloseRequestBody" })

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
    })
  )
  .middleware(Authenticated)

/** The order that is asked about, but for whose it is and when. */
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
