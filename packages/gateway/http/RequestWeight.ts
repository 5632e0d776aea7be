/** Rate-limit weights of REST requests. */

/** Returns the weight of an action, which is 1 unless `weights` lists it. */
export const weightOf = (action: string): number => weights.get(action) ?? 1

/**
 * Returns the weight to charge beyond the endpoint's own weight for a page that reads `rows` rows: 1 per 1,000 rows,
 * at most 600 in total.
 */
export const deepPageWeight = (action: string, rows: number): number =>
  Math.max(0, Math.min(Math.ceil(rows / rowsOfWeight), maxPageWeight) - weightOf(action))

const rowsOfWeight = 1_000
/**
 * Half of the weight that an address can use per minute, so that the largest page can be read, however many markets
 * the page covers.
 */
const maxPageWeight = 600

/** Weights by action: 5 for lists and charts, 10 for changes, 20 for whole tables as CSV, 2 for a preview. */
export const weights: ReadonlyMap<string, number> = new Map([
  ["GET /user/trade", 5],
  ["GET /user/historic-orders", 5],
  ["GET /user/historic-twaps", 5],
  ["GET /trades-csv", 20],
  ["GET /historic-orders-csv", 20],
  ["GET /historic-twaps-csv", 20],
  ["GET /user/historic-pnl", 5],
  ["GET /pnl", 5],
  ["GET /user/account-equity", 5],
  ["GET /user/volume", 5],
  ["GET /user/api-keys", 5],
  ["GET /user/subaccounts/balance", 5],
  ["GET /user/subaccounts/equity", 5],
  ["GET /user/referral-rewards", 5],
  ["GET /candles/:symbol", 5],
  ["GET /underlier/:symbol", 5],
  ["GET /funding/:symbol", 5],
  ["GET /open-interest/:symbol", 5],
  ["GET /taker-volume/:symbol", 5],
  ["GET /symbol-long-short/:symbol", 5],
  ["GET /settlement-prices", 5],
  ["GET /symbols/metrics", 5],
  ["GET /md/contracts", 5],
  ["GET /public/trades", 5],
  ["GET /defillama/metrics", 20],
  ["GET /public/leaderboard", 5],
  ["GET /public/account/:account_id/trades", 5],
  ["POST /user/orders/preview", 2],
  ["POST /user/leverage", 10],
  ["POST /user/subaccounts", 10],
  ["POST /user/transfer", 10],
  ["POST /user/invitation-codes/job", 10],
  ["POST /user/invitation-codes/redeem", 10],
  ["POST /user/api-keys", 10],
  ["PATCH /user/api-keys/:public_key", 10],
  ["DELETE /user/api-keys/:public_key", 10],
  ["POST /user/api-keys/:public_key/rotate", 10],
  ["POST /user/builder-code", 10],
  ["GET /user/builder-grants", 5],
  ["DELETE /user/builder-grants/:builder_id", 10],
  ["POST /user/terms", 10],
  ["POST /user/verification", 10],
  ["PATCH /user/profile", 10],
  ["POST /builder/web3/api-key", 10],
  ["POST /address/rotate", 10],
  ["POST /withdrawal-addresses", 10],
  ["DELETE /withdrawal-addresses/:id", 10],
  ["POST /bank-account", 10],
  ["GET /webhooks", 5],
  ["POST /webhooks", 10],
  ["DELETE /webhooks/:id", 10],
  ["DELETE /bank-account/:id", 10],
  ["POST /withdraw", 10],
  ["POST /fiat-withdraw", 10],
  ["GET /withdrawals", 5],
  ["GET /deposits", 5]
])
