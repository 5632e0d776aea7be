/** Settings that a venue has with any number of processes: environment variables with defaults. */
import { Config, Redacted, Schema } from "effect"
import * as ArbitrumSettings from "./ArbitrumSettings.ts"
import * as BankSettings from "./BankSettings.ts"
import * as ListenerSettings from "./ListenerSettings.ts"
import * as Setting from "./Setting.ts"
import * as SignInSettings from "./SignInSettings.ts"
import * as TronSettings from "./TronSettings.ts"

const hours = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8_760 }))
const holdHours = Setting.decoded(
  "VENUE_NEW_ADDRESS_HOLD_HOURS",
  Schema.NumberFromString.pipe(Schema.decodeTo(hours)),
  {
    usual: "24 (0 with `npm start`)",
    unit: "h",
    meaning:
      "Minimum age of a withdrawal address: a withdrawal to a newer one is held for review, unless its wallet has signed for the user",
    readers: Setting.gateways,
    changes: "all gateways"
  }
)

export const newAddressHoldHours = (usual: number) => Config.withDefault(holdHours, usual)

export const adminToken = Setting.secret("VENUE_ADMIN_TOKEN", {
  usual: "generated at the first start; required by gateways",
  meaning: "Token of the first operator, an admin",
  readers: ["cluster", "gateway"],
  changes: "all gateways"
})

export const authClientKeys = Setting.secrets("VENUE_AUTH_CLIENT_KEY", {
  usual: "generated at the first start; required by gateways",
  meaning: "`apikey` that the venue's own pages send; several while one replaces another",
  readers: ["cluster", "gateway"],
  changes: "replaced"
})

export const secretKey = Setting.secret("VENUE_SECRET_KEY", {
  usual: "generated at the first start; required by nodes",
  meaning:
    "Key of at least 32 characters that seals secrets at rest and derives other keys, such as those of refresh tokens",
  readers: Setting.venue,
  changes: "never"
})

export const shared = {
  environment: Setting.literals("VENUE_ENVIRONMENT", ["development", "preproduction", "production"], {
    default: "development",
    meaning:
      "`preproduction` and `production` refuse test keys, simulations, disabled limits and insecure URLs; a builder message is valid in one environment only",
    readers: Setting.venue,
    changes: "all nodes"
  }),
  brand: Setting.string("VENUE_BRAND", {
    default: "svc",
    meaning:
      "Prefix of headers such as `x-svc-nonce` and of members such as `svc_symbol`; requests may always use `svc`. Not `builder` or `future`",
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
    meaning: "Simulates prices of symbols without a source; `off`: `POST /prices` sets them. Refused in production",
    readers: Setting.runners,
    changes: "all runners"
  }),
  simulatedRails: Setting.onOff("VENUE_SIMULATED_RAILS", {
    default: "on",
    meaning: "Simulates the chains and the bank that are not connected. Refused in production",
    readers: Setting.venue,
    changes: "all runners"
  }),
  railPollMillis: Setting.int("VENUE_RAIL_POLL_MILLIS", {
    default: 1_000,
    unit: "ms",
    meaning: "Interval of queries to each rail",
    readers: Setting.runners,
    changes: "process"
  }),
  priceSources: Config.option(
    Setting.string("VENUE_PRICE_SOURCES", {
      meaning: "File of the [price sources](prices.md)",
      readers: Setting.runners,
      changes: "all runners"
    })
  ),
  rateLimits: Setting.onOff("VENUE_RATE_LIMITS", {
    default: "on",
    meaning:
      "`off`: disables the limits on messages, REST, connections and sign-ins, for benchmarks; [limits](../api/limits.md#sockets) lists the rest",
    readers: Setting.venue,
    changes: "all nodes"
  }),
  desks: Setting.int("VENUE_DESKS", {
    default: 16,
    meaning: "Number of desks, among which the users are divided",
    readers: Setting.venue,
    changes: "never"
  }),
  maxOpenOrdersPerSymbol: Setting.int("VENUE_MAX_OPEN_ORDERS_PER_SYMBOL", {
    default: 200,
    meaning: "Maximum open orders of an account in a symbol",
    readers: Setting.venue,
    changes: "all nodes"
  }),
  maxOpenOrdersPerAccount: Setting.int("VENUE_MAX_OPEN_ORDERS_PER_ACCOUNT", {
    default: 1_000,
    meaning: "Maximum open orders of an account over all symbols",
    readers: Setting.venue,
    changes: "all nodes"
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
      "Secret that proves that the venue wrote a builder message, at least 32 characters; two while one [replaces](keys.md) another",
    readers: Setting.gateways,
    changes: "replaced"
  }),
  /** Messages link to the first agreement. Messages that link to the second are accepted too. */
  clientAgreementUrls: Setting.list("VENUE_CLIENT_AGREEMENT_URL", {
    default: "https://venue.example/legal/client-agreement",
    meaning: "Agreement that builder messages link to; two while one [replaces](keys.md) another",
    readers: Setting.gateways,
    changes: "replaced"
  }),
  termsVersion: Setting.string("VENUE_TERMS_VERSION", {
    default: "1",
    meaning: "Version of the terms that users must have accepted to trade",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  blockedCountries: Setting.list("VENUE_BLOCKED_COUNTRIES", {
    meaning: "Two-letter countries, separated by commas, whose users may only read and cancel",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  newAddressHoldHours: newAddressHoldHours(24),
  secondFactorToFund: Setting.onOff("VENUE_SECOND_FACTOR_TO_FUND", {
    default: "off",
    meaning: "`on`: only users with a second factor move money",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  webhookLoopback: Setting.onOff("VENUE_WEBHOOK_LOOPBACK", {
    default: "off",
    meaning:
      "`on`: [webhooks](../api/webhooks.md) may also go to this machine, over HTTP and to any port. Refused in production",
    readers: Setting.venue,
    changes: "all nodes"
  }),
  twoPeopleAbove: Setting.int("VENUE_TWO_PEOPLE_ABOVE", {
    default: 250_000,
    unit: "USD",
    meaning: "Amount above which a held withdrawal needs [two operators](treasury.md#review-withdrawals)",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  identityUrl: Config.option(
    Setting.string("VENUE_IDENTITY_URL", {
      meaning: "Provider that verifies identities; without one, users need no verification",
      readers: Setting.gateways,
      changes: "all gateways"
    })
  ),
  identityKey: Setting.secret("VENUE_IDENTITY_KEY", {
    default: Redacted.make(""),
    meaning: "Key for requests to the identity provider",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  identityCallbackKey: Setting.secret("VENUE_IDENTITY_CALLBACK_KEY", {
    default: Redacted.make(""),
    meaning: "Key that signs the callbacks of the identity provider",
    readers: Setting.gateways,
    changes: "all gateways"
  }),
  arbitrum: ArbitrumSettings.all,
  tron: TronSettings.all,
  bank: BankSettings.all
}
const all = Config.all(shared)
/** A venue's settings, without those of a single node. */
export type SharedSettings = Config.Success<typeof all>
