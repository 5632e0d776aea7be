/** All tables for users, sign-in, API keys and operators as one layer, on Postgres or in memory. */
import { Layer } from "effect"
import { ApiKeys } from "./ApiKeys.ts"
import { DeskReports } from "../audit/DeskReports.ts"
import { RailAudits } from "../audit/RailAudits.ts"
import { Audit } from "./Audit.ts"
import { Authorizations } from "./Authorizations.ts"
import { BuilderCodes } from "./BuilderCodes.ts"
import { FactorChallenges } from "./FactorChallenges.ts"
import { Factors } from "./Factors.ts"
import { Grants } from "./Grants.ts"
import { Identities } from "./Identities.ts"
import { InvitationCodes } from "./InvitationCodes.ts"
import { LegalAcceptances } from "./LegalAcceptances.ts"
import { Nonces } from "./Nonces.ts"
import { OAuthClients } from "./OAuthClients.ts"
import { Operators } from "./Operators.ts"
import { Profiles } from "./Profiles.ts"
import { Recoveries } from "../recovery/Recoveries.ts"
import { RecoveryCodes } from "./RecoveryCodes.ts"
import { Revocations } from "./Revocations.ts"
import { Sessions } from "./Sessions.ts"
import { SettingDecisions } from "../settings/SettingDecisions.ts"
import { SignInAttempts } from "./SignInAttempts.ts"
import { SigningKeyTable } from "./SigningKeyTable.ts"
import { Transaction } from "@venue/postgres/Transaction"
import { Users } from "./Users.ts"
import { UserStates } from "./UserStates.ts"
import { VenueModes } from "./VenueModes.ts"
import { WalletNonces } from "./WalletNonces.ts"
import { WithdrawalAddresses } from "./WithdrawalAddresses.ts"

export const layer = Layer.mergeAll(
  ApiKeys.layer,
  Identities.layer,
  Sessions.layer,
  UserStates.layer,
  VenueModes.layer,
  DeskReports.layer,
  RailAudits.layer
).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      Audit.layer,
      Authorizations.layer,
      BuilderCodes.layer,
      FactorChallenges.layer,
      Factors.layer,
      Grants.layer,
      InvitationCodes.layer,
      LegalAcceptances.layer,
      Nonces.layer,
      OAuthClients.layer,
      Operators.layer,
      Profiles.layer,
      Recoveries.layer,
      RecoveryCodes.layer,
      Revocations.layer,
      SettingDecisions.layer,
      SignInAttempts.layer,
      SigningKeyTable.layer,
      Transaction.layer,
      Users.layer,
      WalletNonces.layer,
      WithdrawalAddresses.layer
    )
  )
)

export const layerMemory = Layer.mergeAll(
  ApiKeys.layerMemory,
  Identities.layerMemory,
  Sessions.layerMemory,
  UserStates.layerMemory,
  VenueModes.layerMemory,
  DeskReports.layerMemory,
  RailAudits.layerMemory
).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      Audit.layerMemory,
      Authorizations.layerMemory,
      BuilderCodes.layerMemory,
      FactorChallenges.layerMemory,
      Factors.layerMemory,
      Grants.layerMemory,
      InvitationCodes.layerMemory,
      LegalAcceptances.layerMemory,
      Nonces.layerMemory,
      OAuthClients.layerMemory,
      Operators.layerMemory,
      Profiles.layerMemory,
      Recoveries.layerMemory,
      RecoveryCodes.layerMemory,
      Revocations.layerMemory,
      SettingDecisions.layerMemory,
      SignInAttempts.layerMemory,
      SigningKeyTable.layerMemory,
      Transaction.layerMemory,
      Users.layerMemory,
      WalletNonces.layerMemory,
      WithdrawalAddresses.layerMemory
    )
  )
)
