/** What requests over REST weigh. */

/** It is 1, unless it stands here. */
export const weightOf = (action: string): number => weights.get(action) ?? 1

/** Of what is asked without credentials, by the path of its address: a chart weighs 5 too. */
export const addressWeightOf = (url: string): number => (charts.some((path) => url.startsWith(path)) ? 5 : 1)

const charts = ["/candles/", "/underlier/", "/funding/", "/open-interest/", "/taker-volume/", "/symbol-long-short/"]

/** Lists and charts weigh 5, changes 10. */
const weights: ReadonlyMap<string, number> = new Map([
  ["GET /user/trade", 5],
  ["GET /user/api-keys", 5],
  ["POST /user/leverage", 10],
  ["POST /user/api-keys", 10],
  ["PATCH /user/api-keys/:public_key", 10],
  ["DELETE /user/api-keys/:public_key", 10],
  ["POST /user/api-keys/:public_key/rotate", 10],
  ["POST /user/builder-code", 10],
  ["POST /user/terms", 10],
  ["POST /user/verification", 10],
  ["PATCH /user/profile", 10],
  ["POST /builder/web3/api-key", 10]
])
