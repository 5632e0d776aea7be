/** Settings of the authentication service. */
import { Config } from "effect"
import * as Setting from "./Setting.ts"

const formRefresh = Setting.literals("VENUE_PUBLIC_FORM_REFRESH", ["on", "off"], {
  usual: "off; `npm start` and `npm run cluster`: on",
  meaning:
    "`on`: public OAuth clients, such as command-line programs, can refresh tokens with a form request without `apikey`",
  readers: Setting.gateways,
  changes: "all gateways"
})

/**
 * Setting: whether public clients that refresh a token with a form-encoded request are allowed to omit the `apikey`
 * header.
 */
export const publicFormRefresh = (usual: "on" | "off") =>
  Config.map(Config.withDefault(formRefresh, usual), (value) => value === "on")

export const all = {
  serviceName: Setting.string("VENUE_SERVICE_NAME", {
    default: "Venue",
    meaning: "Name of the venue in messages that wallets sign, and on the venue's pages",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  walletSignIn: Setting.onOff("VENUE_WALLET_SIGN_IN", {
    default: "on",
    meaning: "`on`: users can sign in with a wallet",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  lowercaseAddresses: Setting.onOff("VENUE_LOWERCASE_ADDRESSES", {
    default: "off",
    meaning:
      "`on`: sign-in messages can contain a lower-case wallet address; `off`: the address must have its EIP-55 checksum",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  signInUris: Setting.list("VENUE_SIGN_IN_URI", {
    meaning:
      "URLs, separated by commas, of pages other than the venue's `/sign-in` at which wallets can sign in; `dev.json` contains the first URL",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  publicFormRefresh: publicFormRefresh("off"),
  captcha: Setting.literals("VENUE_CAPTCHA", ["never", "risk", "always"], {
    default: "never",
    meaning:
      "`risk`: requires a CAPTCHA after failed or frequent sign-ins from an IP address; `always`: requires a CAPTCHA at every sign-in",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  captchaProvider: Setting.literals("VENUE_CAPTCHA_PROVIDER", ["turnstile", "hcaptcha"], {
    default: "turnstile",
    meaning: "CAPTCHA provider: `turnstile` or `hcaptcha`",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  captchaSiteKey: Config.option(
    Setting.string("VENUE_CAPTCHA_SITE_KEY", {
      meaning: "Public site key of the CAPTCHA on `/sign-in`; required in production unless `VENUE_CAPTCHA` is `never`",
      readers: Setting.gateways,
      changes: "all gateways"
    })
  ),
  captchaSecret: Config.option(
    Setting.secret("VENUE_CAPTCHA_SECRET", {
      meaning: "Secret of the CAPTCHA provider; required unless `VENUE_CAPTCHA` is `never`",
      readers: Setting.gateways,
      changes: "running"
    })
  )
}
