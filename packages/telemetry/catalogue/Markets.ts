/** Metrics of markets, prices and risk. */
import { gauge } from "../Definition.ts"

export const priceAge = gauge("venue_price_age_seconds", {
  labels: ["symbol", "source"],
  nodes: ["runner"],
  help: "Age of the last accepted external price, with the oracle price's origin; +Inf before the first price"
})

export const priceExpected = gauge("venue_price_expected", {
  labels: ["symbol"],
  nodes: ["runner"],
  help: "1 while a market trades and its underlier's market is open, so that a price is expected, else 0"
})

export const priceRejections = gauge("venue_price_rejections", {
  labels: ["symbol"],
  nodes: ["runner"],
  help: "Consecutive external prices that the filter rejected, at most 3"
})

export const sourceAge = gauge("venue_price_source_age_seconds", {
  labels: ["source", "symbol"],
  nodes: ["runner"],
  help: "Time since a source's last quote for a symbol; +Inf before the first; only on the node that reads prices"
})

export const markDeviation = gauge("venue_mark_deviation_ratio", {
  labels: ["symbol"],
  nodes: ["runner"],
  help: "Mark price divided by the last accepted external price, minus 1"
})

export const marketTrading = gauge("venue_market_trading", {
  labels: ["symbol"],
  nodes: ["runner"],
  help: "1 if the market is in state `TRADING`, else 0"
})

export const marketFaulty = gauge("venue_market_faulty", {
  labels: ["symbol"],
  nodes: ["runner"],
  help: "1 if a fault restricts the market to cancels, else 0"
})

export const accountsAtRisk = gauge("venue_accounts_at_risk", {
  labels: ["desk", "state"],
  nodes: ["runner"],
  help: "Accounts of a desk that are `warned` or in `liquidation`, and traders `waiting` to be loaded"
})

export const positionsLeft = gauge("venue_positions_left", {
  labels: ["desk"],
  nodes: ["runner"],
  help: "Positions in liquidation that have no counterparty"
})

export const reserveFund = gauge("venue_reserve_fund_usd", {
  labels: ["symbol"],
  nodes: ["runner"],
  help: "Balance of a market's reserve fund"
})

export const openInterest = gauge("venue_open_interest_usd", {
  labels: ["symbol"],
  nodes: ["runner"],
  help: "Open interest of a market at its mark price"
})

export const openInterestLimit = gauge("venue_open_interest_limit_usd", {
  labels: ["symbol"],
  nodes: ["runner"],
  help: "Open-interest limit of a market"
})
