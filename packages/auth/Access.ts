/** Everything that decides who may come in and what for, as one layer over what is kept of it. */
import { Layer, type Redacted } from "effect"
import { Accounts } from "./Accounts.ts"
import { Authorize } from "./Authorize.ts"
import { Bearers } from "./Bearers.ts"
import type { BuilderTerms } from "./BuilderMessage.ts"
import { BuilderRegistration } from "./BuilderRegistration.ts"
import { ClientAuthentication } from "./ClientAuthentication.ts"
import { ClientRegistration } from "./ClientRegistration.ts"
import { CodeExchange } from "./CodeExchange.ts"
import { Consents } from "./Consents.ts"
import { Hmac } from "./Hmac.ts"
import { KeyPrefix } from "./KeyPair.ts"
import { KeyRotation } from "./KeyRotation.ts"
import { Onboarding } from "./Onboarding.ts"
import { SecondFactor } from "./SecondFactor.ts"
import { SessionTokens } from "./SessionTokens.ts"
import type { SignInSite } from "./SignInSite.ts"
import { type Requirements, Standing } from "./Standing.ts"
import { Supervision } from "./Supervision.ts"
import { TokenRevocation } from "./TokenRevocation.ts"
import { WalletSignIn } from "./WalletSignIn.ts"

export interface AccessOptions {
  /** The public address of the authentication service with `/auth/v1`, as tokens name it. */
  readonly issuer: string
  /** The page where users allow an application what it asks for. */
  readonly consentPage: string
  readonly serviceName: string
  /** Whether wallets may sign in at all. */
  readonly walletsEnabled: boolean
  /** Whether they may write their address without its checksum, in lower case. */
  readonly acceptLowercaseAddress: boolean
  /** The pages they may sign in for. */
  readonly sites: ReadonlyArray<SignInSite>
  readonly requirements: Requirements
  readonly builderTerms: BuilderTerms
  /** API keys begin with it, such as `svc`. */
  readonly keyPrefix: string
  /** For nothing else, and the same on every node: refresh tokens are derived with it. */
  readonly serverKey: Redacted.Redacted
}

export const layer = (options: AccessOptions) => {
  const { acceptLowercaseAddress, builderTerms, consentPage, issuer, keyPrefix, requirements, serverKey } = options
  const { serviceName, sites } = options
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
        SessionTokens.layer({ issuer, serverKey }),
        Standing.layer(requirements),
        Supervision.layer
      )
    )
  )
}
