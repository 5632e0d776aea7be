/** Access services of a test venue, with reserved host names and worthless keys. */
import * as Access from "@venue/auth/access/Access"
import { sitesOf } from "@venue/auth/wallet/SignInSite"
import { IdentityProvider } from "@venue/providers/Identity"
import { Layer, Redacted, Result } from "effect"

/** Country from which trading is blocked. */
export const blockedCountry = "KP"

/** Access services with a local identity provider that verifies immediately. */
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
