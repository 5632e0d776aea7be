/** A limit order for gold that rests below the tests' prices. */

export const gold = "GOLD-USD"

export const goldOrder = (quantity = 1, client_order_id = "first") => ({
  type: "add_order",
  params: {
    symbol: gold,
    side: "BUY",
    order_type: "LIMIT",
    order_time_in_force: "GTC",
    quantity,
    price: 3_390,
    client_order_id
  }
})
