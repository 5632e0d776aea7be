/** JSON examples, copied verbatim from the published pages about market data and public REST. */

/** Commands of the market-data socket. */
export const commands: ReadonlyArray<string> = [
  `{"type":"subscribe","channels":["bbo","trade"],"symbols":["GOLD-USD","NVDA-USD"]}`,
  `{"type":"unsubscribe","channels":["bbo"],"symbols":["GOLD-USD"]}`,
  `{"type":"subscribe","channels":["level2"],"symbols":["GOLD-USD"],"sig_figs":[0]}`,
  `{"type":"subscribe","channels":["candle"],"symbols":["GOLD-USD"],"intervals":["1MIN","1HOUR"]}`
]

/** Frames of the market-data socket, one of each kind. */
export const frames: ReadonlyArray<string> = [
  `{"type":"subscribed","channels":["level2"],"symbols":["GOLD-USD"],"sig_figs":[0]}`,
  `{"type":"unsubscribed","channels":["bbo"],"symbols":["GOLD-USD"]}`,
  `{"err":{"error_code":"InvalidParameter","message":"unknown symbol FOO-USD","incoming_message":{"type":"subscribe","channels":["bbo"],"symbols":["FOO-USD"]}}}`,
  `{"type":"level2","sequence":48213,"time":"2026-09-27T14:40:44.118203551Z","symbol":"GOLD-USD","bid":[["3411.1","4.25"],["3411.0","12.5"]],"ask":[["3411.3","2"],["3411.4","9.75"]],"sig_figs":0}`,
  `{"type":"bbo","sequence":48214,"time":"2026-09-27T14:40:44.118203551Z","symbol":"GOLD-USD","bid":[["3411.1","4.25"]],"ask":[["3411.3","2"]]}`,
  `{"type":"trade","sequence":48215,"trade_id":"a7d9f0c4-1e6b-4d38-b2a5-90c17e5f3d82","time":"2026-09-27T14:40:44.118203551Z","symbol":"GOLD-USD","size":"1.5","price":"3411.1","side":"sell","execution_type":"T"}`,
  `{"type":"candle","sequence":48216,"symbol":"GOLD-USD","start":"2026-09-27T14:40:00Z","resolution":"1MIN","open":"3410.4","high":"3411.3","low":"3410.2","close":"3411.1","usdVolume":18250,"trades":23}`,
  `{"type":"underlier","sequence":48217,"time":"2026-09-27T14:40:44.000Z","symbol":"GOLD-USD","price":"3410.87","source":"external"}`,
  `{"type":"mark_price","sequence":48218,"time":"2026-09-27T14:40:44.000Z","symbol":"GOLD-USD","price":"3410.95"}`,
  `{"type":"funding","sequence":48219,"time":"2026-09-27T14:40:44.000Z","symbol":"GOLD-USD","funding_rate":"0.00002","annualised_funding_rate":"0.1752","time_remaining":1156}`,
  `{"type":"open_interest","sequence":48220,"time":"2026-09-27T14:40:44.000Z","symbol":"GOLD-USD","open_interest":"1834.5"}`,
  `{"type":"minmax_price","sequence":48221,"time":"2026-09-27T14:40:44.000Z","symbol":"GOLD-USD","min_price":"3240.5","max_price":"3581.5"}`,
  `{"type":"market_stats","sequence":48222,"time":"2026-09-27T14:40:50Z","symbol":"*","bbos":[{"time":"2026-09-27T14:40:49.81Z","symbol":"GOLD-USD","bid":[["3411.1","4.25"]],"ask":[["3411.3","2"]]}],"mark_prices":[{"time":"2026-09-27T14:40:49Z","symbol":"GOLD-USD","price":"3410.95"}],"open_interests":[{"time":"2026-09-27T14:40:49Z","symbol":"GOLD-USD","open_interest":"1834.5"}],"daily_volumes":[{"symbol":"GOLD-USD","volume":"912.75"}],"funding_rates":[{"time":"2026-09-27T14:40:49Z","symbol":"GOLD-USD","funding_rate":"0.00002","annualised_funding_rate":"0.1752","time_remaining":550}],"rolling_volumes":[{"symbol":"GOLD-USD","quantity_24h":"2204.5","usd_notional_24h":"7519034.15"}]}`
]

/** REST response bodies by schema name. */
export const bodies = {
  RefdataResponse: `{"type":"refdata","data":[{"clobPairId":"12","symbol":"GOLD-USD","underlier_price":"3410.87","price_change_24h":"0.42","default_max_leverage":30,"tick_size":"0.1","lot_size":"0.25","min_price":"3240.5","max_price":"3581.5","min_quantity":"0.25","max_quantity":"5000","base_asset":"GOLD","quote_asset":"USD","margin_asset":"USDC","order_time_in_force":["GTC","IOC","FOK"],"order_types":["LIMIT","MARKET","ALO"],"market_hours":{"tz":"America/Chicago","monday":{"open":"00:00:00","close":"16:00:00"}},"status":"ACTIVE","product_category":"COMMODITY"}]}`,
  CandlesResponseBody: `{"candles":[{"startedAt":"2026-09-27T14:00:00Z","ticker":"GOLD-USD","resolution":"1HOUR","low":"3402.1","high":"3412.9","open":"3404.8","close":"3411.1","baseTokenVolume":"318.25","usdVolume":"1084420.6","trades":911,"startingOpenInterest":"1820.25","orderbookMidPriceOpen":"3404.85","orderbookMidPriceClose":"3411.2"}]}`,
  FundingHistoricResponseBody: `{"count":1,"data":[{"symbol":"GOLD-USD","intervalMinutes":60,"windowStart":"2026-09-27T14:00:00Z","rate":0.00002}]}`,
  OpenInterestHistoricResponseBody: `{"count":1,"data":[{"symbol":"GOLD-USD","intervalMinutes":60,"windowStart":"2026-09-27T14:00:00Z","openInterest":1834.5}]}`,
  SymbolLongShortHistoricResponseBody: `{"count":1,"data":[{"symbol":"GOLD-USD","interval":"1h","windowStart":"2026-09-27T14:00:00Z","longUsers":214,"shortUsers":171}]}`,
  TakerVolumeHistoricResponseBody: `{"count":1,"data":[{"symbol":"GOLD-USD","intervalMinutes":60,"windowStart":"2026-09-27T14:00:00Z","takerBuyQty":190.5,"takerSellQty":127.75,"takerBuyNotional":649100.2,"takerSellNotional":435320.4,"netTakerQty":62.75}]}`,
  UnderlierHistoricResponseBody: `{"count":1,"data":[{"symbol":"GOLD-USD","interval":"1h","windowStart":"2026-09-27T14:00:00Z","openPrice":3404.6,"highPrice":3412.7,"lowPrice":3402.0,"closePrice":3410.9}]}`,
  SettlementCalendarEntry: `{"svc_symbol":"OIL-USD","future_symbol":"CLX6","active_until":"2026-10-13T21:30:00Z","expiration":"2026-10-20T21:30:00Z"}`,
  SettlementPricesResponseBody: `{"count":1,"data":[{"symbol":"OIL-USD","future_symbol":"CLX6","future_settlement_price":71.32,"spot_settlement_price":71.05,"asof":"2026-09-26","inserted_at":"2026-09-26T21:31:07Z","spot_to_future_ratio":0.996214}]}`,
  SymbolMetricsResponseBody: `{"count":1,"data":[{"symbol":"GOLD-USD","current_mark_price":3410.95,"volume_24h_usd_notional":7519034.15,"mark_price_change_24h_pct":0.42,"open_interest":1834.5,"funding_rate_bps":0.2}]}`,
  /** No published example exists, but clients show the members. */
  ContractsResponseBody: `{"data":[{"ticker_id":"GOLD-USD","base_currency":"GOLD","target_currency":"USD","last_price":"3411.1","base_volume":"2204.5","target_volume":"7519034.15","product_type":"Perpetual","open_interest":"3669","open_interest_usd":"6257387.77","long_open_interest":"1834.5","long_open_interest_usd":"6257387.77","short_open_interest":"1834.5","short_open_interest_usd":"6257387.77","index_price":"3410.87","index_currency":"USD","funding_rate":"0.00002","funding_interval_minutes":60,"next_funding_rate":"0.00002","next_funding_rate_timestamp":1790521200}]}`,
  OrderBookResponseBody: `{"ticker_id":"GOLD-USD","timestamp":1790520044118,"bids":[["3411.1","4.25"]],"asks":[["3411.3","2"]]}`
} as const

/**
 * Returns the keys and types of a value. A list is represented by its first item, and the days of the week by one
 * key.
 */
export const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== "$schema")
      .map(([key, member]) => [key.replace(/^(sun|mon|tues|wednes|thurs|fri|satur)day$/, "day"), shapeOf(member)])
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))
  )
}
