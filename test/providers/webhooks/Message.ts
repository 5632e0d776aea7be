/** Webhook messages for tests. */
import { UserId } from "@venue/domain/UserId"
import type { WebhookMessage } from "@venue/domain/Webhook"

export const credited: WebhookMessage = {
  userId: UserId.make("amy"),
  event: "deposit.credited",
  subjectId: "0b9f0f5e-58f4-4e0b-9a53-7c1f6b6a1d20",
  method: "ARBITRUM_ONE",
  amount: 250_500_000n,
  fee: null,
  destination: null,
  txHash: "0xabc",
  createdAtMillis: Date.UTC(2026, 2, 2, 15, 4),
  creditedAtMillis: Date.UTC(2026, 2, 2, 15, 5),
  atMillis: Date.UTC(2026, 2, 2, 15, 5)
}

export const settled: WebhookMessage = {
  userId: UserId.make("amy"),
  event: "withdrawal.settled",
  subjectId: "7c1f6b6a-1d20-4e0b-9a53-58f40b9f0f5e",
  method: "wire",
  amount: 500_000_000n,
  fee: 25_000_000n,
  destination: "****6789",
  txHash: null,
  createdAtMillis: Date.UTC(2026, 2, 2, 15, 4),
  creditedAtMillis: null,
  atMillis: Date.UTC(2026, 2, 2, 15, 9)
}
