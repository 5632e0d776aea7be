/** Examples of bodies that are additions of this venue. */

const userId = "2f1c5a7e-8d0b-4a57-9c64-0f6a9b1d3e52"
const hour = "2026-03-02T15:00:00.000Z"
const created = "2026-03-02T15:04:05.678Z"

export const publicExamples = {
  BuilderGrantsResponseBody: {
    data: [{ builder_id: userId, builder_name: "carol", created_at: hour, last_used_at: created }],
    count: 1
  },
  PublicTradesResponseBody: {
    data: [
      {
        trade_id: "a7d9f0c4-1e6b-4d38-b2a5-90c17e5f3d82",
        time: created,
        symbol: "AAPL-USD",
        side: "BUY",
        price: 231.5,
        quantity: 2
      }
    ],
    count: 1
  },
  LeaderboardResponseBody: {
    duration: "1w",
    sort: "absolute",
    start: hour,
    end: created,
    data: [
      {
        rank: 1,
        account: { account_id: userId, user_id: userId, is_public: true, username: "alice" },
        pnl: 250,
        return_percent: 5,
        volume: 512340.5
      }
    ],
    count: 1
  },
  VenueMetricsResponseBody: {
    data: [{ windowStart: "2026-03-02T00:00:00Z", dailyVolumeUSD: 7519034.15, openInterestAtEndUSD: 71786.48 }]
  }
} as const
