/** What bodies look like: an example of each that an endpoint takes or answers with, by the name of its schema. */
import type { Schema } from "effect"

const wallet = {
  id: "7c1f6b6a-1d20-4e0b-9a53-58f40b9f0f5e",
  address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  network: "ARBITRUM_ONE",
  label: "my wallet",
  created_at: "2026-03-02T15:04:05.678Z"
}

const hash = `0x${"3b7e".repeat(16)}`

const webhook = {
  id: "58f40b9f-0f5e-4e0b-9a53-7c1f6b6a1d20",
  url: "https://example.com/venue",
  events: ["deposit.credited", "withdrawal.settled"],
  created_at: "2026-03-02T15:00:00.000Z"
}

/** One member more or less than the schema has, or of another kind, and a test names it. */
export const examples: Readonly<Record<string, Schema.Json>> = {
  Health: { status: "ready" },
  AddressResponseBody: {
    address: "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    network: "ARBITRUM_ONE",
    asset: "USDC"
  },
  RotateAddressRequestBody: { network: "ARBITRUM_ONE" },
  WithdrawalAddressesResponseBody: { count: 1, data: [wallet] },
  RegisterAddressRequestBody: { address: wallet.address, network: "ARBITRUM_ONE", label: "my wallet" },
  RegisteredAddress: wallet,
  FiatAddressResponseBody: { deposit_message: "7ZK4M0QX2P9D" },
  LinkBankAccountRequestBody: {
    first_name: "Ada",
    last_name: "Example",
    routing_number: "021000021",
    bank_name: "Example Bank",
    account_number: "000123456789",
    type: "checking",
    street_line_1: "1 Main Street",
    country: "USA",
    state: "NY",
    city: "New York",
    postal_code: "10001"
  },
  WithdrawRequestBody: { amount: 1_000, address: wallet.address, network: "ARBITRUM_ONE" },
  FiatWithdrawRequestBody: {
    amount: 500,
    currency: "usd",
    payment_rail: "wire",
    account_id: "0b9f0f5e-58f4-4e0b-9a53-7c1f6b6a1d20"
  },
  WithdrawalsResponseBody: {
    count: 2,
    data: [
      {
        id: "4e0b9a53-58f4-4b9f-8f5e-0b9f7c1f6b6a",
        kind: "fiat",
        amount: 500,
        fee: 25,
        net_amount: 475,
        payment_rail: "wire",
        destination: "****6789",
        status: "HELD_FOR_REVIEW",
        blocked: false,
        tx_hash: null,
        created_at: "2026-03-02T15:04:05.678Z",
        updated_at: "2026-03-02T15:04:05.678Z"
      },
      {
        id: "9c640f6a-8d0b-4a57-9b1d-2f1c5a7e3e52",
        kind: "crypto",
        amount: 1_000,
        fee: 1,
        net_amount: 999,
        network: "ARBITRUM_ONE",
        destination: wallet.address,
        status: "SETTLED",
        blocked: false,
        tx_hash: hash,
        created_at: "2026-03-02T15:04:05.678Z",
        updated_at: "2026-03-02T15:05:01.234Z"
      }
    ]
  },
  DepositsResponseBody: {
    count: 1,
    data: [
      {
        id: `ARBITRUM_ONE/${hash}/0`,
        kind: "crypto",
        amount: 250,
        asset: "USDC",
        network: "ARBITRUM_ONE",
        status: "CREDITED",
        reason: null,
        tx_hash: hash,
        created_at: "2026-03-02T15:04:05.678Z",
        credited_at: "2026-03-02T15:04:11.012Z"
      }
    ]
  },
  WebhooksResponseBody: {
    count: 1,
    data: [
      {
        ...webhook,
        disabled_at: null,
        disabled_reason: null,
        deliveries: [
          {
            message_id: "msg_5f9f1e5c1d204e0b9a5358f40b9f0f5e",
            event: "deposit.credited",
            attempt: 1,
            outcome: "DELIVERED",
            status: 204,
            fault: null,
            due_at: "2026-03-02T15:04:05.678Z",
            ended_at: "2026-03-02T15:04:05.901Z"
          }
        ]
      }
    ]
  },
  CreateWebhookRequestBody: { url: webhook.url, events: webhook.events },
  CreatedWebhook: { ...webhook, secret: "whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=" },
  WebhookDepositMessage: {
    type: "deposit.credited",
    timestamp: "2026-03-02T15:04:11.012Z",
    data: {
      id: `ARBITRUM_ONE/${hash}/0`,
      kind: "crypto",
      amount: 250.5,
      asset: "USDC",
      network: "ARBITRUM_ONE",
      status: "CREDITED",
      tx_hash: hash,
      created_at: "2026-03-02T15:04:05.678Z",
      credited_at: "2026-03-02T15:04:11.012Z"
    }
  },
  WebhookWithdrawalMessage: {
    type: "withdrawal.settled",
    timestamp: "2026-03-02T15:09:00.000Z",
    data: {
      id: "4e0b9a53-58f4-4b9f-8f5e-0b9f7c1f6b6a",
      kind: "fiat",
      amount: 500,
      fee: 25,
      net_amount: 475,
      payment_rail: "wire",
      destination: "****6789",
      status: "SETTLED",
      tx_hash: null,
      created_at: "2026-03-02T15:04:05.678Z",
      updated_at: "2026-03-02T15:09:00.000Z"
    }
  },
  LinkBankAccountResponseBody: { id: "0b9f0f5e-58f4-4e0b-9a53-7c1f6b6a1d20" }
}
