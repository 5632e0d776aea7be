/** Access services of a test venue, with reserved host names and worthless keys. */
import * as Access from "@venue/auth/access/Access"
import { sitesOf } from "@venue/auth/wallet/SignInSite"
import { IdentityProvider } from "@venue/providers/Identity"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { RunningSettings } from "@venue/storage/settings/RunningSettings"
import { Effect, Layer, Redacted, Result } from "effect"

/** Country from which trading is blocked. */
export const blockedCountry = "KP"

/** Running settings of a test venue, in memory. */
export const settings = Layer.unwrap(
  Effect.map(VenueSettings, ({ maxOpenOrdersPerAccount, maxOpenOrdersPerSymbol }) => {
    const text = (value: string | number) => Redacted.make(String(value))
    return RunningSettings.layerMemory({
      given: {},
      defaults: {
        blockedCountries: text(blockedCountry),
        maxOpenOrdersPerAccount: text(maxOpenOrdersPerAccount),
        maxOpenOrdersPerSymbol: text(maxOpenOrdersPerSymbol)
      }
    })
  })
)

/** Access services with a local identity provider that verifies immediately, and the running settings. */
export const layer = Layer.unwrap(Effect.map(RunningSettings, (running) => accessOf(running))).pipe(
  Layer.provideMerge(settings)
)

const accessOf = ({ now }: RunningSettings["Service"]) => {
  const key = Redacted.make("of a venue in memory, and worth nothing elsewhere")
  const site = "https://app.venue.test"
  return Access.layer({
    issuer: "https://auth.venue.test/auth/v1",
    consentPage: "https://auth.venue.test/sign-in",
    serviceName: "Venue",
    walletsEnabled: true,
    acceptLowercaseAddress: false,
    sites: Result.getOrThrow(sitesOf([`${site}/sign-in`], { allowLoopback: false })),
    requirements: () => {
      const { blockedCountries, secondFactorToFund, termsVersion } = now()
      return { verifiedIdentity: true, termsVersion, blockedCountries: new Set(blockedCountries), secondFactorToFund }
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
}
