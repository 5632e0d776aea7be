/** All services that authenticate and authorise callers, as one layer over their storage. */
import { Layer, type Redacted } from "effect"
import { Accounts } from "../session/Accounts.ts"
import { Authorize } from "../oauth/Authorize.ts"
import { Bearers } from "../session/Bearers.ts"
import type { BuilderTerms } from "../wallet/BuilderMessage.ts"
import { BuilderRegistration } from "../wallet/BuilderRegistration.ts"
import { ClientAuthentication } from "../oauth/ClientAuthentication.ts"
import { ClientRegistration } from "../oauth/ClientRegistration.ts"
import { CodeExchange } from "../oauth/CodeExchange.ts"
import { Consents } from "../oauth/Consents.ts"
import { Hmac } from "./Hmac.ts"
import { KeyPrefix } from "../keys/KeyPair.ts"
import { KeyRotation } from "../keys/KeyRotation.ts"
import { Onboarding } from "./Onboarding.ts"
import { SecondFactor } from "../session/SecondFactor.ts"
import { SessionTokens } from "../session/SessionTokens.ts"
import type { SignInSite } from "../wallet/SignInSite.ts"
import { type Requirements, UserEligibility } from "./Eligibility.ts"
import { OperatorActions } from "./OperatorActions.ts"
import { OperatorTokens } from "./OperatorTokens.ts"
import { SettingActions } from "./SettingActions.ts"
import { VenueModeActions } from "./VenueModeActions.ts"
import { TokenRevocation } from "../session/TokenRevocation.ts"
import { WalletSignIn } from "../wallet/WalletSignIn.ts"

export interface AccessOptions {
  /** Public URL of the authentication service, including `/auth/v1`; the issuer of tokens. */
  readonly issuer: string
  /** URL of the page on which users grant access to an application. */
  readonly consentPage: string
  readonly serviceName: string
  readonly walletsEnabled: boolean
  /** Whether a wallet address is accepted in lower case, without its checksum. */
  readonly acceptLowercaseAddress: boolean
  readonly sites: ReadonlyArray<SignInSite>
  /** Returns the requirements in force. */
  readonly requirements: () => Requirements
  readonly builderTerms: BuilderTerms
  /** Prefix of API keys, such as `svc`. */
  readonly keyPrefix: string
  /** Secret from which refresh tokens are derived. Equal on every node, and used for no other purpose. */
  readonly serverKey: Redacted.Redacted
  /** Secret that `serverKey` replaces, during the replacement. */
  readonly otherServerKey?: Redacted.Redacted | undefined
}

export const layer = (options: AccessOptions) => {
  const { acceptLowercaseAddress, builderTerms, consentPage, issuer, keyPrefix, requirements } = options
  const { otherServerKey, serverKey, serviceName, sites } = options
  return Layer.mergeAll(
    Authorize.layer({ issuer, consentPage }),
    BuilderRegistration.layer({ terms: builderTerms }),
    CodeExchange.layer({ issuer }),
    Onboarding.layer({ agreementUrl: builderTerms.agreementUrl }),
    TokenRevocation.layer,
    WalletSignIn.layer({ enabled: options.walletsEnabled, serviceName, sites, acceptLowercaseAddress })
  ).pipe(
    Layer.provideMerge(Layer.succeed(KeyPrefix, keyPrefix)),
    Layer.provideMerge(SecondFactor.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        Accounts.layer,
        Bearers.layer({ issuer }),
        ClientAuthentication.layer,
        ClientRegistration.layer,
        Consents.layer,
        Hmac.layer,
        KeyRotation.layer,
        SessionTokens.layer({ issuer, serverKey, otherServerKey }),
        UserEligibility.layer(requirements),
        OperatorActions.layer,
        OperatorTokens.layer,
        SettingActions.layer,
        VenueModeActions.layer
      )
    )
  )
}
