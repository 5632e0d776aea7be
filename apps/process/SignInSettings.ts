/** Settings of the authentication service. */
import { Config } from "effect"
import * as Setting from "./Setting.ts"

const formRefresh = Setting.literals("VENUE_PUBLIC_FORM_REFRESH", ["on", "off"], {
  usual: "off; `npm start` and `npm run cluster`: on",
  meaning: "`on`: public OAuth clients, such as command-line programs, may refresh with a form without `apikey`",
  readers: Setting.gateways,
  changes: "all gateways"
})

/** Returns whether clients that refresh with a form are allowed to omit the `apikey`. */
export const publicFormRefresh = (usual: "on" | "off") =>
  Config.map(Config.withDefault(formRefresh, usual), (value) => value === "on")

export const all = {
  serviceName: Setting.string("VENUE_SERVICE_NAME", {
    default: "Venue",
    meaning: "Name of the venue in signed messages and on pages",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  walletSignIn: Setting.onOff("VENUE_WALLET_SIGN_IN", {
    default: "on",
    meaning: "`off`: refuses sign-in with a wallet",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  lowercaseAddresses: Setting.onOff("VENUE_LOWERCASE_ADDRESSES", {
    default: "off",
    meaning: "`on`: sign-in messages may have a lower-case wallet address; `off`: only one with its EIP-55 checksum",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  signInUris: Setting.list("VENUE_SIGN_IN_URI", {
    meaning:
      "Pages, separated by commas, that wallets may sign in to in addition to the venue's `/sign-in`; the first is in `dev.json`",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  publicFormRefresh: publicFormRefresh("off"),
  captcha: Setting.literals("VENUE_CAPTCHA", ["never", "risk", "always"], {
    default: "never",
    meaning: "`risk`: requires a CAPTCHA after failed or many sign-ins from an address; `always`: at every sign-in",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  captchaProvider: Setting.literals("VENUE_CAPTCHA_PROVIDER", ["turnstile", "hcaptcha"], {
    default: "turnstile",
    meaning: "`turnstile` or `hcaptcha`",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  captchaSiteKey: Config.option(
    Setting.string("VENUE_CAPTCHA_SITE_KEY", {
      meaning:
        "Public key with which `/sign-in` shows the CAPTCHA; required in production unless `VENUE_CAPTCHA` is `never`",
      readers: Setting.gateways,
      changes: "all gateways"
    })
  ),
  captchaSecret: Config.option(
    Setting.secret("VENUE_CAPTCHA_SECRET", {
      meaning: "Secret of the CAPTCHA provider; required unless `VENUE_CAPTCHA` is `never`",
      readers: Setting.gateways,
      changes: "all gateways"
    })
  )
}
