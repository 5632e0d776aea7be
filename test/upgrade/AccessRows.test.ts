/** Rows of release 0.1.0 after all migrations: users, sign-in, keys, applications, operators and audits. */
import { primaryAccountOf } from "@venue/domain/AccountId"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { Audit } from "@venue/storage/access/Audit"
import { BuilderCodes } from "@venue/storage/access/BuilderCodes"
import { FactorChallenges } from "@venue/storage/access/FactorChallenges"
import { Factors } from "@venue/storage/access/Factors"
import { Grants } from "@venue/storage/access/Grants"
import { Identities } from "@venue/storage/access/Identities"
import { InvitationCodes } from "@venue/storage/access/InvitationCodes"
import { LegalAcceptances } from "@venue/storage/access/LegalAcceptances"
import { OAuthClients } from "@venue/storage/access/OAuthClients"
import { Operators } from "@venue/storage/access/Operators"
import { Profiles } from "@venue/storage/access/Profiles"
import { RecoveryCodes } from "@venue/storage/access/RecoveryCodes"
import { Sessions } from "@venue/storage/access/Sessions"
import { SigningKeyTable } from "@venue/storage/access/SigningKeyTable"
import { Users } from "@venue/storage/access/Users"
import { UserStates } from "@venue/storage/access/UserStates"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { WithdrawalAddresses } from "@venue/storage/access/WithdrawalAddresses"
import { DeskReports } from "@venue/storage/audit/DeskReports"
import { RailAudits } from "@venue/storage/audit/RailAudits"
import { assert, expect, layer } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { alice, bob, carol, dan } from "./RestoredRows.ts"
import * as RestoredRows from "./RestoredRows.ts"

const keys = {
  alice: "svc_test_pub_f515071507247f49611db8247ae28798",
  carol: "svc_test_pub_6c64ee1ceaa9c8aaa34fff6e0194248b"
}
const clientId = "e23e59ca-f989-4160-8235-7783f9746d38"
const sessionId = "e1c32dde-698f-4b20-bf1c-1719eb20ba54"
const factorId = "dc16ffb5-1e2a-4d47-ba91-87dd67e2d2fd"

layer(RestoredRows.layer)("access rows of release 0.1.0", (it) => {
  it.effect("reads the users, accounts, profiles and codes that release 0.1.0 stored", () =>
    Effect.gen(function* () {
      const users = yield* Users
      expect(Option.getOrThrow(yield* users.find(alice))).toMatchObject({ userId: alice, name: "alice" })
      expect(yield* users.accounts(alice)).toMatchObject([
        { accountId: primaryAccountOf(alice), openedAtMillis: 1_795_820_455_658 },
        { accountId: "3e8a7a05-1a7b-4611-bcc4-a03bb41d67e8", userId: alice }
      ])
      expect(yield* (yield* UserStates).find(dan)).toMatchObject({
        exists: true,
        identity: "verified",
        termsVersion: "1"
      })
      expect(yield* (yield* Profiles).find(alice)).toMatchObject({ username: "alice", isPublic: true })
      expect(Option.getOrThrow(yield* (yield* BuilderCodes).ofUser(carol))).toMatchObject({
        builderCode: "07812d43-e464-48cd-96c9-59883fc0f730",
        venueBps: 7_000,
        builderBps: 3_000,
        active: true
      })
      expect(yield* (yield* InvitationCodes).ofUser(alice)).toMatchObject([
        { code: "JSWDNSS2RF", number: 0, heldFor: dan, redeemedAtMillis: 1_795_820_650_768 },
        { code: "PQYCX3HWBY", number: 1, heldFor: null, redeemedAtMillis: null }
      ])
      expect(yield* (yield* LegalAcceptances).ofUser(dan)).toMatchObject([
        { termsVersion: "1", agreementUrl: "https://venue.example/legal/client-agreement", builder: null }
      ])
    })
  )

  it.effect("reads the API keys that release 0.1.0 stored, and opens a sealed secret", () =>
    Effect.gen(function* () {
      const { find, ofUser } = yield* ApiKeys
      const key = Option.getOrThrow(yield* find(keys.alice))
      assert.strictEqual(
        Redacted.value(key.secret),
        "svc_test_secret_3c19de7313dee5932dfff2c9c8d1415efd5ca612fa3f23bf44144097dce5c1be"
      )
      const ended = Option.getOrThrow(yield* find(keys.carol))
      assert.strictEqual(ended.revokedAtMillis, 1_795_820_592_742)
      expect(yield* ofUser(alice)).toMatchObject([
        { publicKey: keys.alice, label: "alice", scope: "all_accounts", lastUsedAtMillis: 1_795_820_644_887 },
        {
          label: "fixture",
          permissions: ["execute_orders"],
          allowedAddresses: ["192.0.2.0/24"],
          lastUsedAtMillis: null
        }
      ])
    })
  )

  it.effect("reads the identities, sessions and second factors that release 0.1.0 stored", () =>
    Effect.gen(function* () {
      expect(yield* (yield* Identities).ofUser(alice)).toMatchObject([
        { address: "0x2ab99cd93a7512a32e3b956abd3bab4c33dd6f4c", network: "42161", statement: "Sign in to Venue" }
      ])
      const sessions = yield* Sessions
      expect(yield* sessions.ofUser(alice)).toMatchObject([
        { sessionId, clientId, scope: "openid profile", aal: "aal1", endedAtMillis: null }
      ])
      const ended = Option.getOrThrow(yield* sessions.find("1e8b420c-0541-4f47-8cce-f24a6f31d11a"))
      expect(ended).toMatchObject({ userId: dan, clientId: null, endedAtMillis: 1_795_820_502_457 })
      expect(yield* sessions.newestToken(sessionId)).toMatchObject({ sessionId, generation: 1 })
      const factor = Option.getOrThrow(yield* (yield* Factors).find(bob, factorId))
      expect(factor).toMatchObject({ friendlyName: "phone", status: "verified" })
      assert.match(Redacted.value(factor.secret), /^[A-Z2-7]{32}$/)
      assert.isTrue(yield* (yield* FactorChallenges).spend("dfe8ff3d-a6c3-4a19-831e-7e03a54208d9"))
      const hash = Buffer.from("11f377b24475dcd1dbd47beb3097dc55a9a3dbde377c1538723a5337622521be", "hex")
      assert.deepStrictEqual(yield* (yield* RecoveryCodes).spend(bob, hash), Option.some(1))
    })
  )

  it.effect("reads the OAuth clients, grants and signing keys that release 0.1.0 stored", () =>
    Effect.gen(function* () {
      const redirectUris = ["https://app.example/callback"]
      expect(yield* (yield* OAuthClients).list).toMatchObject([
        {
          clientId,
          name: "Example Service",
          type: "confidential",
          redirectUris,
          secretHashes: [expect.stringMatching(/^8a3b/)]
        },
        { name: "Example App", type: "public", secretHashes: [] }
      ])
      expect(yield* (yield* Grants).ofUser(alice)).toMatchObject([{ clientId, scopes: ["openid", "profile"] }])
      const signingKeys = yield* (yield* SigningKeyTable).all
      expect(signingKeys).toMatchObject([
        { kid: "V_7kMKr85aPOlFW3uby1RYGE68T7Zelv-a_gDVFm9-g", state: "active" },
        { kid: "lBvndwFP18tkJyej-jl09TmyB-kYZcRKtfUOaUWhOdM", state: "standby" }
      ])
      for (const { jwk } of signingKeys) {
        expect(JSON.parse(Redacted.value(jwk))).toMatchObject({ kty: "EC", crv: "P-256", d: expect.any(String) })
      }
    })
  )

  it.effect("reads the operators, audit trail, venue mode and audits that release 0.1.0 stored", () =>
    Effect.gen(function* () {
      const { list, ofToken } = yield* Operators
      const roles = ["treasurer"]
      expect(yield* list).toMatchObject([
        { name: "treasurer", roles },
        { name: "dora", roles }
      ])
      const token = Redacted.make("svc_test_treasurer_cbb6ed95fcb00b41c7e51d7e65f3683e52f085c62740231d")
      assert.strictEqual(Option.getOrThrow(yield* ofToken(token)).operator.name, "treasurer")
      expect(yield* (yield* Audit).about(dan)).toMatchObject([
        { action: "terms_accepted", actor: dan, subject: dan, facts: { termsVersion: "1" } }
      ])
      const difference = /^BANK holds 325000000 at entry 1/
      expect(yield* (yield* VenueModes).read).toMatchObject({
        trading: "TRADING",
        withdrawals: "BLOCKED",
        changedBy: "auditor",
        fault: null,
        reason: expect.stringMatching(difference),
        difference: expect.stringMatching(difference)
      })
      expect(yield* (yield* DeskReports).since(0)).toMatchObject([
        { desk: "15", traders: [{ userId: dan, seq: 2, markets: [], accounts: [{ accountId: dan, positions: [] }] }] }
      ])
      expect(yield* (yield* RailAudits).newest).toMatchObject([
        { rail: "BANK", number: 12, amount: 325_000_000n, books: 1_325_000_000n, position: "entry 1", times: 7 }
      ])
      expect(yield* (yield* WithdrawalAddresses).ofUser(alice)).toMatchObject([
        { address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", network: "ARBITRUM_ONE", label: "my wallet" }
      ])
    })
  )
})
