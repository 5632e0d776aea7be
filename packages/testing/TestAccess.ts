/** Who may come into a venue under test: at addresses that are nowhere, with keys worth nothing. */
import * as Access from "@venue/auth/access/Access"
import { sitesOf } from "@venue/auth/wallet/SignInSite"
import { IdentityProvider } from "@venue/providers/Identity"
import { Layer, Redacted, Result } from "effect"

/** Nobody trades from there. */
export const blockedCountry = "KP"

export const layer = Layer.suspend(() => {
  const key = Redacted.make("of a venue in memory, and worth nothing elsewhere")
  const site = "https://app.venue.test"
  return Access.layer({
    issuer: "https://auth.venue.test/auth/v1",
    consentPage: "https://auth.venue.test/sign-in",
    serviceName: "Venue",
    walletsEnabled: true,
    acceptLowercaseAddress: false,
    sites: Result.getOrThrow(sitesOf([`${site}/sign-in`], { allowLoopback: false })),
    requirements: {
      verifiedIdentity: true,
      termsVersion: "1",
      blockedCountries: new Set([blockedCountry]),
      secondFactorToFund: false
    },
    builderTerms: {
      serviceName: "Venue",
      uri: `${site}/builder`,
      agreementUrl: "https://venue.test/legal/client-agreement",
      macKey: key
    },
    keyPrefix: "svc_test",
    serverKey: key
  }).pipe(
    Layer.provideMerge(
      IdentityProvider.layerLocal({ pageUrl: `${site}/verified`, callbackKey: key, verifiesAtOnce: true })
    )
  )
})
