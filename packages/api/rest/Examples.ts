/** What bodies look like: an example of each that an endpoint takes or answers with, by the name of its schema. */
import type { Schema } from "effect"
import { publicExamples } from "./PublicExamples.ts"

const userId = "2f1c5a7e-8d0b-4a57-9c64-0f6a9b1d3e52"
const subaccount = "7c1f6b6a-1d20-4e0b-9a53-58f40b9f0f5e"
const builderCode = "0b9f0f5e-58f4-4e0b-9a53-7c1f6b6a1d20"
const hour = "2026-03-02T15:00:00.000Z"
const created = "2026-03-02T15:04:05.678Z"
const hours = { open: "09:30:00", close: "16:00:00" }
const listed = <const Row>(row: Row) => ({ data: [row], count: 1 })

const market = {
  clobPairId: "1",
  symbol: "AAPL-USD",
  underlier_price: "231.42",
  price_change_24h: "-2.1",
  default_max_leverage: 10,
  tick_size: "0.01",
  lot_size: "0.001",
  min_price: "219.85",
  max_price: "242.99",
  min_quantity: "0.001",
  max_quantity: "10000",
  base_asset: "AAPL",
  quote_asset: "USD",
  margin_asset: "USDC",
  order_time_in_force: ["GTC", "IOC", "FOK"],
  order_types: ["LIMIT", "MARKET", "ALO"],
  market_hours: { tz: "America/New_York", monday: hours, friday: hours },
  status: "ACTIVE",
  product_category: "EQUITY"
}

const position = {
  symbol: "AAPL-USD",
  position: -2,
  average_price: 231.5,
  leverage: 10,
  initial_margin: 0.1,
  maintenance_margin: 0.06666666666666667,
  unrealised_pnl: 0.16,
  realised_pnl: 12.5,
  net_funding: -0.012,
  open_orders: 1,
  open_quantity: 1
}

const balance = {
  deposit: 25_000,
  realised_pnl: 118.4,
  order_margin: 23.14,
  position_margin: 46.28,
  unrealised_pnl: 0.16,
  net_funding: -0.012,
  available_balance: 25_048.6
}

const trade = {
  id: "e2b7a8c4d1f04a6b",
  order_timestamp: 1_772_463_845.678,
  symbol: "AAPL-USD",
  price: 231.5,
  quantity: 2,
  side: "SELL",
  fee: 0.2315,
  margin_used: 46.3,
  order_type: "LIMIT",
  tif: "GTC",
  order_id: "8d0b4a579c640f6a",
  realised_pnl_change: 0,
  liquidation: "NONE",
  order_origin: "USER",
  execution_type: "NEW"
}

const volumes = { self_lifetime_notional_volume: 100_500, self_notional_volume: 9_000 }
const invitation = { code: "7ZK4M0QX2P", created_at: created, redeemed_at: null, redeemed_by: null }

const preview = {
  user_id: userId,
  symbol: "AAPL-USD",
  side: "BUY",
  type: "LIMIT",
  time_in_force: "GTC",
  price: 231.5,
  quantity: 2,
  reduce_only: false,
  client_order_id: "",
  status: "ACK",
  refusal: null,
  mark_price: 231.42,
  min_price: 219.85,
  max_price: 242.99,
  worst_price: null,
  filled_quantity: 0,
  average_price: 0,
  resting_quantity: 2,
  realised_pnl: 0,
  leverage: 10,
  order_margin: 46.5,
  available_balance: 25_048.6,
  available_balance_after: 25_002.1,
  required_fee: 0.2,
  taker_fee_rate: 0.0005,
  maker_fee_rate: 0.0002,
  fee: 0,
  resting_fee: 0.0926,
  builder_reward: 0,
  venue_fee: 0,
  reserve_fund_fee: 0,
  builder_fee_share_bps: 0,
  venue_fee_share_bps: 10_000
}

const orderToPreview = {
  symbol: "AAPL-USD",
  side: "BUY",
  order_type: "LIMIT",
  order_time_in_force: "GTC",
  quantity: 2,
  price: 231.5
}

const candle = {
  startedAt: hour,
  ticker: "AAPL-USD",
  resolution: "1HOUR",
  low: "231.1",
  high: "232",
  open: "231.2",
  close: "231.5",
  baseTokenVolume: "120.5",
  usdVolume: "27895.75",
  trades: 41,
  startingOpenInterest: "310.2",
  orderbookMidPriceOpen: "231.205",
  orderbookMidPriceClose: "231.495"
}

const byInterval = { symbol: "AAPL-USD", interval: "1h", windowStart: hour }
const byMinutes = { symbol: "AAPL-USD", intervalMinutes: 60, windowStart: hour }

const key = {
  public_key: "pub_3f1d8c5b7a9e4d2c8b6a0f1e2d3c4b5a",
  label: "reader",
  permissions: ["view_orders"],
  scope: "all_accounts",
  allowed_addresses: [],
  created_at: created
}
const secret = "secret_9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a0"

/** One member more or less than the schema has, or of another kind, and a test names it. */
export const examples: Readonly<Record<string, Schema.Json>> = {
  RefdataResponse: { type: "refdata", data: [market] },
  SymbolMetricsResponseBody: listed({
    symbol: "AAPL-USD",
    current_mark_price: 231.42,
    volume_24h_usd_notional: 512_340.5,
    mark_price_change_24h_pct: -2.1,
    open_interest: 310.2,
    funding_rate_bps: 0.2
  }),
  ContractsResponseBody: {
    data: [
      {
        ticker_id: "AAPL-USD",
        base_currency: "AAPL",
        target_currency: "USD",
        last_price: "231.5",
        base_volume: "2214.5",
        target_volume: "512340.5",
        product_type: "Perpetual",
        open_interest: "620.4",
        open_interest_usd: "71786.48",
        long_open_interest: "310.2",
        long_open_interest_usd: "71786.48",
        short_open_interest: "310.2",
        short_open_interest_usd: "71786.48",
        index_price: "231.42",
        index_currency: "USD",
        funding_rate: "0.00002",
        funding_interval_minutes: 60,
        next_funding_rate: "0.00002",
        next_funding_rate_timestamp: 1772467200
      }
    ]
  },
  OrderBookResponseBody: {
    ticker_id: "AAPL-USD",
    timestamp: 1_772_463_845_678,
    bids: [["231.49", "3"]],
    asks: [["231.5", "2"]]
  },
  CandlesResponseBody: { candles: [candle] },
  UnderlierHistoricResponseBody: listed({
    ...byInterval,
    openPrice: 231.2,
    highPrice: 232,
    lowPrice: 231.1,
    closePrice: 231.5
  }),
  FundingHistoricResponseBody: listed({ ...byMinutes, rate: 0.00002 }),
  OpenInterestHistoricResponseBody: listed({ ...byMinutes, openInterest: 310.2 }),
  TakerVolumeHistoricResponseBody: listed({
    ...byMinutes,
    takerBuyQty: 70.5,
    takerSellQty: 50,
    takerBuyNotional: 16_320.75,
    takerSellNotional: 11_575,
    netTakerQty: 20.5
  }),
  SymbolLongShortHistoricResponseBody: listed({ ...byInterval, longUsers: 31, shortUsers: 24 }),
  SettlementCalendarEntry: {
    expiration: "2026-11-20T19:30:00.000Z",
    active_until: "2026-11-12T22:30:00.000Z",
    future_symbol: "CLZ6",
    svc_symbol: "CL-USD"
  },
  SettlementPricesResponseBody: listed({
    symbol: "US100-USD",
    future_symbol: "NQH6",
    future_settlement_price: 21_400.25,
    spot_settlement_price: 21_319.2,
    asof: "2026-03-02",
    inserted_at: created,
    spot_to_future_ratio: 0.996213
  }),
  Health: { status: "live" },
  PositionsBalanceResponseBody: { positions: [position], balance },
  TradesResponseBody: listed(trade),
  SetUserLeverageRequestBody: { symbol: "AAPL-USD", leverage: 5 },
  SetUserLeverageResponseBody: { leverage: 5 },
  PreviewOrderRequestBody: orderToPreview,
  PreviewCloseRequestBody: { symbol: "AAPL-USD", close_position: true },
  PreviewOrderResponseBody: preview,
  HistoricOrdersResponseBody: listed({
    order_id: "8d0b4a579c640f6a",
    terminal_status: "CANCELLED",
    status_ts: created,
    symbol: "AAPL-USD",
    side: "SELL",
    type: "LIMIT",
    time_in_force: "GTC",
    quantity: 3,
    price: 231.5,
    client_order_id: "",
    passive_qty: 2,
    filled_qty: 2,
    avg_price: 231.5,
    first_fill_ts: created,
    last_fill_ts: created,
    execution_state: "PARTIALLY_FILLED"
  }),
  HistoricTwapsResponseBody: listed({
    twap_id: "5f1c2a7e8d0b4a57",
    client_twap_id: "",
    status: "COMPLETED",
    symbol: "AAPL-USD",
    side: "BUY",
    total_quantity: 10,
    filled_quantity: 10,
    average_fill_price: 231.46,
    worst_price: 235,
    total_num_orders: 10,
    filled_num_orders: 10,
    order_interval_secs: 30,
    reduce_only: false,
    start_time: hour,
    created_at: hour,
    updated_at: created
  }),
  HistoricUserPnlResponseBody: {
    duration: "1w",
    unit: "percent",
    interval_minutes: 60,
    start: "2026-02-23T15:00:00Z",
    end: "2026-03-02T15:00:00Z",
    symbols: ["AAPL-USD"],
    ...listed({ window_start: "2026-03-02T14:00:00Z", value: 0.473601 })
  },
  HourlyPnlResponseBody: listed({
    symbol: "AAPL-USD",
    hour: "2026-03-02T15:00:00Z",
    realised_pnl: 12.5,
    unrealised_pnl: 0.16,
    net_funding: -0.012,
    fees: 0.0926,
    quantity: -2,
    cost: -463
  }),
  AccountEquityResponseBody: {
    duration: "1w",
    interval_minutes: 60,
    start: "2026-02-23T15:00:00Z",
    end: "2026-03-02T15:00:00Z",
    ...listed({ window_start: "2026-03-02T14:00:00Z", value: 25_118.18 })
  },
  UserVolumeResponseBody: {
    range: "1w",
    interval: "1d",
    start: "2026-02-24T00:00:00Z",
    end: "2026-03-02T00:00:00Z",
    symbols: ["AAPL-USD"],
    ...listed({ date: "2026-03-02T00:00:00Z", maker_volume: 463, taker_volume: 231.5, volume: 694.5 }),
    total_maker_volume: 463,
    total_taker_volume: 231.5,
    total_volume: 694.5
  },
  BaseFeesResponseBody: { fees: { "AAPL-USD": { maker_fee: 0.0002, taker_fee: 0.001 } } },
  FeesResponseBody: { fees: { "AAPL-USD": { maker_fee: 20_000, taker_fee: 100_000 } } },
  ...publicExamples,
  PublicPositionsResponseBody: {
    account: { account_id: userId, user_id: userId, is_public: true, username: "alice" },
    positions: [position]
  },
  CreateSubaccountRequestBody: {},
  CreateSubaccountResponseBody: { account_id: subaccount },
  PublicAccountsResponseBody: { accounts: [{ account_id: userId, is_master: true, is_public: false }] },
  SubaccountBalancesResponseBody: {
    accounts: [
      { account_id: userId, available_balance: 25_048.6, equity: 25_118.18, is_master: true },
      { account_id: subaccount, available_balance: 0, equity: 0, is_master: false }
    ]
  },
  TransferRequestBody: { amount: 12.5 },
  ListSubaccountsResponseBody: { account_ids: [subaccount] },
  InvitationJobRequestBody: {},
  InvitationJobResponseBody: {
    qualified: true,
    ...volumes,
    required_lifetime_notional_volume: 100_000,
    codes_issued: 1,
    codes: [invitation]
  },
  InvitationCodesResponseBody: listed(invitation),
  RedeemCodeRequestBody: { code: invitation.code },
  RedeemCodeResponseBody: { referrer_user_id: userId },
  ReferralVolumeResponseBody: { ...volumes, referred_notional_volume: 10_000, referred_users: 1, qualified: true },
  ReferralRewardsResponseBody: {
    duration: "1w",
    interval: "1d",
    start: "2026-02-23T00:00:00.000Z",
    end: "2026-03-02T00:00:00.000Z",
    ...listed({ reward_date: "2026-03-01T00:00:00.000Z", amount: 0.714 }),
    total_amount: 0.714
  },
  OnboardingResponseBody: {
    identity: "verified",
    terms_accepted: false,
    terms_version: "1",
    second_factor: "none",
    region_allowed: true,
    can_trade: false,
    can_fund: false,
    missing: ["terms"]
  },
  AcceptTermsRequestBody: { terms_version: "1" },
  BeginVerificationRequestBody: {},
  BeginVerificationResponseBody: { verification_url: "https://identity.venue.example/sessions/5a7e8d0b" },
  ProfileBody: { username: "alice", avatar_url: "https://pictures.venue.example/alice.png", is_public: true },
  ChangeProfileRequestBody: { username: "alice", is_public: true },
  CreateBuilderCodeRequestBody: { svc_fee_share_bps: 5_000, builder_fee_share_bps: 3_000 },
  BuilderCodeBody: {
    builder_code: builderCode,
    svc_fee_share_bps: 5_000,
    svc_fee_share_percent: 50,
    builder_fee_share_bps: 3_000,
    builder_fee_share_percent: 30,
    is_active: true,
    created_at: created,
    updated_at: created
  },
  BuilderWalletMessage: { message: "app.venue.example wants you to sign in with your Ethereum account: …" },
  BuilderWalletBody: {
    message: "app.venue.example wants you to sign in with your Ethereum account: …",
    signature: `0x${"3f".repeat(64)}1b`
  },
  BuilderWalletKey: { user_id: userId, account_id: userId, public_key: key.public_key, secret_key: secret },
  ApiKeysResponseBody: listed({ ...key, last_used_at: created, last_failed_at: null }),
  IssuedApiKey: { ...key, secret_key: secret },
  CreateApiKeyRequestBody: { label: "reader", permissions: ["view_orders"], scope: "all_accounts" },
  RenameApiKeyRequestBody: { label: "dashboard" },
  ErrorModel: {
    type: "https://api.venue.example/problems/invalid-request",
    title: "Unprocessable Entity",
    status: 422,
    detail: "A parameter, header or body is missing, of the wrong type or out of bounds; see errors.",
    instance: "urn:uuid:6f9619ff-8b86-4011-b42d-00c04fc964ff",
    errors: [
      {
        location: "query.limit",
        message: "Expected a value between 1 and 1000, got 1001; the nearest is 1000",
        value: "1001"
      }
    ]
  }
}
