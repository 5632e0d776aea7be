/** Settings that a venue has with any number of processes: environment variables with defaults. */
import { Config, Redacted } from "effect"
import * as ArbitrumSettings from "./ArbitrumSettings.ts"
import * as BankSettings from "./BankSettings.ts"
import * as ListenerSettings from "./ListenerSettings.ts"
import * as Setting from "./Setting.ts"
import * as SignInSettings from "./SignInSettings.ts"
import * as TronSettings from "./TronSettings.ts"

const holdHours = Setting.running("newAddressHoldHours", {
  usual: "24 (0 with `npm start`)",
  unit: "h",
  meaning:
    "Minimum age of a withdrawal address; withdrawals to newer addresses are held for review, unless the user has proven ownership with a wallet signature",
  readers: Setting.gateways
})

export const adminToken = Setting.secret("VENUE_ADMIN_TOKEN", {
  usual: "generated at the first start; required by gateways",
  meaning: "Token of the first operator, who has the role `admin`",
  readers: ["cluster", "gateway"],
  changes: "running"
})

export const authClientKeys = Setting.secrets("VENUE_AUTH_CLIENT_KEY", {
  usual: "generated at the first start; required by gateways",
  meaning: "`apikey` that the venue's own pages send; during a replacement, several values separated by commas",
  readers: ["cluster", "gateway"],
  requiredBy: ["gateway"],
  changes: "replaced"
})

export const secretKey = Setting.secret("VENUE_SECRET_KEY", {
  usual: "generated at the first start; required by nodes",
  meaning:
    "Key of at least 32 characters that encrypts stored secrets and derives other keys; two, separated by a comma, during a [replacement](keys.md#secret-key)",
  readers: [...Setting.venue, "init", "rekey"],
  requiredBy: ["runner", "gateway", "init", "rekey"],
  changes: "replaced on all nodes"
})

export const identityKey = Setting.secret("VENUE_IDENTITY_KEY", {
  default: Redacted.make(""),
  meaning: "Key for requests to the identity provider",
  readers: [...Setting.gateways, "identity"],
  changes: "running"
})

export const identityCallbackKey = Setting.secret("VENUE_IDENTITY_CALLBACK_KEY", {
  default: Redacted.make(""),
  meaning: "Key with which the identity provider signs its callbacks",
  readers: [...Setting.gateways, "identity"],
  changes: "running"
})

export const shared = {
  environment: Setting.literals("VENUE_ENVIRONMENT", ["development", "preproduction", "production"], {
    default: "development",
    meaning:
      "`preproduction` and `production` refuse test keys, simulated prices, disabled limits and insecure URLs; a builder message is valid only in its own environment",
    readers: Setting.services,
    changes: "all nodes"
  }),
  startMode: Setting.literals("VENUE_START", ["as-stored", "halted"], {
    default: "as-stored",
    meaning:
      "`halted`: the start halts trading and blocks withdrawals before it serves anything, for example after a [restore](restore.md)",
    readers: Setting.venue,
    changes: "process"
  }),
  brand: Setting.string("VENUE_BRAND", {
    default: "svc",
    meaning:
      "Prefix of headers such as `x-svc-nonce` and JSON members such as `svc_symbol`; must not be `builder` or `future`. Requests can always use `svc`",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  keyPrefix: Setting.string("VENUE_KEY_PREFIX", {
    default: "svc_test",
    meaning: "First characters of new API keys",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  ...ListenerSettings.all,
  ...SignInSettings.all,
  simulatedPrices: Setting.onOff("VENUE_SIMULATED_PRICES", {
    default: "on",
    meaning:
      "`on`: simulates prices for symbols without a source; `off`: operators set them with `POST /prices`. `on` is refused in production",
    readers: Setting.runners,
    changes: "all runners"
  }),
  simulatedRails: Setting.onOff("VENUE_SIMULATED_RAILS", {
    default: "on",
    meaning:
      "`on`: simulates each rail (chain or bank) that is not connected, and marks it as simulated. `on` is refused in production",
    readers: Setting.venue,
    changes: "all runners"
  }),
  railPollMillis: Setting.int("VENUE_RAIL_POLL_MILLIS", {
    default: 1_000,
    unit: "ms",
    meaning: "Interval between polls of each rail (chain or bank)",
    readers: Setting.runners,
    changes: "process"
  }),
  priceSources: Config.option(
    Setting.string("VENUE_PRICE_SOURCES", {
      meaning: "Path of the [price source](prices.md) file; `PUT /settings` replaces its contents",
      readers: Setting.runners,
      changes: "running"
    })
  ),
  rateLimits: Setting.onOff("VENUE_RATE_LIMITS", {
    default: "on",
    meaning:
      "`off`: disables limits on messages, REST requests, connections and sign-ins, for benchmarks; [limits](../api/limits.md#sockets) lists the limits that remain",
    readers: Setting.venue,
    changes: "all nodes"
  }),
  desks: Setting.int("VENUE_DESKS", {
    default: 16,
    meaning: "Number of desks; each user belongs to one desk",
    readers: [...Setting.venue, "init"],
    changes: "never"
  }),
  maxOpenOrdersPerSymbol: Setting.running("maxOpenOrdersPerSymbol", {
    meaning: "Maximum number of open orders per account and symbol",
    readers: Setting.venue
  }),
  maxOpenOrdersPerAccount: Setting.running("maxOpenOrdersPerAccount", {
    meaning: "Maximum number of open orders per account across all symbols",
    readers: Setting.venue
  }),
  secretKey: Config.option(secretKey),
  builderUri: Setting.string("VENUE_BUILDER_URI", {
    default: "https://app.venue.example/builder",
    meaning: "URI in the messages that builders' users sign",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  builderCodes: Setting.literals("VENUE_BUILDER_CODES", ["open", "reviewed"], {
    default: "open",
    meaning: "`open`: a new builder code is active at once; `reviewed`: an operator activates it",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  /** Without a key, `VENUE_SECRET_KEY` authenticates builder messages. */
  builderKeys: Setting.secrets("VENUE_BUILDER_KEY", {
    usual: "`VENUE_SECRET_KEY`",
    meaning:
      "Secret of at least 32 characters that authenticates the venue's builder messages; two secrets, separated by a comma, during a [replacement](keys.md)",
    readers: Setting.gateways,
    changes: "replaced"
  }),
  /** Messages link to the first agreement. Messages that link to the second are accepted too. */
  clientAgreementUrls: Setting.list("VENUE_CLIENT_AGREEMENT_URL", {
    default: "https://venue.example/legal/client-agreement",
    meaning:
      "URL of the agreement that builder messages link to; two URLs, separated by a comma, during a [replacement](keys.md)",
    readers: Setting.gateways,
    changes: "replaced"
  }),
  termsVersion: Setting.running("termsVersion", {
    meaning: "Version of the terms that users must accept before they can trade",
    readers: Setting.gateways
  }),
  blockedCountries: Setting.running("blockedCountries", {
    meaning: "Two-letter country codes, separated by commas; users from these countries can only read and cancel",
    readers: Setting.gateways
  }),
  newAddressHoldHours: holdHours,
  secondFactorToFund: Setting.running("secondFactorToFund", {
    meaning: "`on`: moving money requires a second factor",
    readers: Setting.gateways
  }),
  webhookLoopback: Setting.onOff("VENUE_WEBHOOK_LOOPBACK", {
    default: "off",
    meaning:
      "`on`: [webhooks](../api/webhooks.md) can also be sent to this machine, over HTTP and to any port. `on` is refused in production",
    readers: Setting.venue,
    changes: "all nodes"
  }),
  expectedReplicas: Setting.int("VENUE_EXPECTED_REPLICAS", {
    default: 0,
    meaning:
      "Number of replicas that must stream from the database; fewer raise an [alarm](alarms.md). 0: replicas are not checked",
    readers: Setting.venue,
    changes: "process"
  }),
  watchedPaths: Setting.list("VENUE_WATCHED_PATHS", {
    usual: "none (`VENUE_DATA_DIR` with `npm start`)",
    meaning: "Paths, separated by commas, whose file systems raise an [alarm](alarms.md) when more than 80 % full",
    readers: Setting.venue,
    changes: "process"
  }),
  twoPeopleAbove: Setting.running("twoPeopleAbove", {
    unit: "USD",
    meaning: "Amount above which a held withdrawal needs approval by [two operators](treasury.md#review-withdrawals)",
    readers: Setting.gateways
  }),
  identityUrl: Config.option(
    Setting.string("VENUE_IDENTITY_URL", {
      meaning: "URL of the identity provider; without it, users need no identity verification",
      readers: Setting.gateways,
      changes: "all gateways"
    })
  ),
  identityKey,
  identityCallbackKey,
  arbitrum: ArbitrumSettings.all,
  tron: TronSettings.all,
  bank: BankSettings.all
}
const all = Config.all(shared)
/** A venue's settings, without those of a single node. */
export type SharedSettings = Config.Success<typeof all>
