/** Callers with every permission, except for the fields that a test sets. */
import type { Caller } from "@venue/auth/access/Caller"
import { Permission } from "@venue/domain/Permission"
import { UserId } from "@venue/domain/UserId"

export const caller = (changes: Partial<Caller>): Caller => ({
  userId: UserId.make("alice"),
  permissions: new Set(Permission.literals),
  scope: "all_accounts",
  via: "hmac",
  publicKey: "key",
  sessionId: null,
  kid: null,
  aal: null,
  clientId: null,
  ...changes
})
