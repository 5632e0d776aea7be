/** Names of all settings, for programs that each declare only their own. */
import * as SecretFiles from "./SecretFiles.ts"

/** Settings of all programs, sorted. `test/apps/process/KnownNames.test.ts` compares them with the declarations. */
export const all: ReadonlyArray<string> = [
  "VENUE_ACCESS_LOG",
  "VENUE_ADMIN_ALLOW",
  "VENUE_ADMIN_HOST",
  "VENUE_ADMIN_PORT",
  "VENUE_ADMIN_TLS_CERT",
  "VENUE_ADMIN_TLS_KEY",
  "VENUE_ADMIN_TOKEN",
  "VENUE_ARBITRUM_ADDRESSES_AT_ONCE",
  "VENUE_ARBITRUM_BALANCES_AT_ONCE",
  "VENUE_ARBITRUM_BLOCKS_AT_ONCE",
  "VENUE_ARBITRUM_CALLS_AT_ONCE",
  "VENUE_ARBITRUM_CHAIN_ID",
  "VENUE_ARBITRUM_FIRST_BLOCK",
  "VENUE_ARBITRUM_LEAST_ENDPOINTS",
  "VENUE_ARBITRUM_MAX_FEE_GWEI",
  "VENUE_ARBITRUM_OVERDUE_SECONDS",
  "VENUE_ARBITRUM_RPC_URLS",
  "VENUE_ARBITRUM_STALE_SECONDS",
  "VENUE_ARBITRUM_SWEEP_ABOVE",
  "VENUE_ARBITRUM_TOKEN",
  "VENUE_ARBITRUM_XPUB",
  "VENUE_ARCHIVE_DIR",
  "VENUE_AUDITOR",
  "VENUE_AUDITOR_HEALTH_HOST",
  "VENUE_AUDITOR_HEALTH_PORT",
  "VENUE_AUDIT_FULL",
  "VENUE_AUDIT_FULL_DAYS",
  "VENUE_AUTH_CLIENT_KEY",
  "VENUE_AUTH_PORT",
  "VENUE_BANK_KEY",
  "VENUE_BANK_SIMULATOR_FILE",
  "VENUE_BANK_SIMULATOR_OPENING",
  "VENUE_BANK_SIMULATOR_PORT",
  "VENUE_BANK_SIMULATOR_WEBHOOK_URL",
  "VENUE_BANK_URL",
  "VENUE_BANK_WEBHOOK_SECRET",
  "VENUE_BLOCKED_COUNTRIES",
  "VENUE_BRAND",
  "VENUE_BUILDER_CODES",
  "VENUE_BUILDER_KEY",
  "VENUE_BUILDER_URI",
  "VENUE_CAPTCHA",
  "VENUE_CAPTCHA_PROVIDER",
  "VENUE_CAPTCHA_SECRET",
  "VENUE_CAPTCHA_SITE_KEY",
  "VENUE_CLIENT_AGREEMENT_URL",
  "VENUE_CLOCK_SHIFT_MILLIS",
  "VENUE_CLUSTER_ADDRESS",
  "VENUE_CLUSTER_DIAL_FROM",
  "VENUE_CLUSTER_GATEWAYS",
  "VENUE_CLUSTER_LISTEN",
  "VENUE_CLUSTER_LOCK_SECONDS",
  "VENUE_CLUSTER_PORT_BASE",
  "VENUE_CLUSTER_RUNNERS",
  "VENUE_CLUSTER_TLS_CA",
  "VENUE_CLUSTER_TLS_CERT",
  "VENUE_CLUSTER_TLS_KEY",
  "VENUE_COUNTRY_HEADER",
  "VENUE_DATABASE_APP_ROLE",
  "VENUE_DATABASE_AUDITOR_ROLE",
  "VENUE_DATABASE_READER_ROLE",
  "VENUE_DATABASE_URL",
  "VENUE_DATA_DIR",
  "VENUE_DESKS",
  "VENUE_ENVIRONMENT",
  "VENUE_EXPECTED_REPLICAS",
  "VENUE_EXTRA_USERS",
  "VENUE_FUNDING_PORT",
  "VENUE_HEALTH_HOST",
  "VENUE_HEALTH_PORT",
  "VENUE_HOST",
  "VENUE_IDENTITY_CALLBACK_KEY",
  "VENUE_IDENTITY_KEY",
  "VENUE_IDENTITY_SIMULATOR_CALLBACK_URL",
  "VENUE_IDENTITY_SIMULATOR_PORT",
  "VENUE_IDENTITY_URL",
  "VENUE_INIT",
  "VENUE_KEY_PREFIX",
  "VENUE_LOG_FORMAT",
  "VENUE_LOG_LEVEL",
  "VENUE_LOWERCASE_ADDRESSES",
  "VENUE_MARKET_DATA_PORT",
  "VENUE_MARKET_MAKER",
  "VENUE_MAX_OPEN_ORDERS_PER_ACCOUNT",
  "VENUE_MAX_OPEN_ORDERS_PER_SYMBOL",
  "VENUE_MIGRATION_DATABASE_URL",
  "VENUE_NEW_ADDRESS_HOLD_HOURS",
  "VENUE_NODE_NAME",
  "VENUE_OTLP_URL",
  "VENUE_PRICE_SOURCES",
  "VENUE_PUBLIC_AUTH_URL",
  "VENUE_PUBLIC_FORM_REFRESH",
  "VENUE_PUBLIC_FUNDING_URL",
  "VENUE_PUBLIC_MARKET_DATA_URL",
  "VENUE_PUBLIC_REST_URL",
  "VENUE_PUBLIC_TRADE_URL",
  "VENUE_RAIL_POLL_MILLIS",
  "VENUE_RATE_LIMITS",
  "VENUE_REST_PORT",
  "VENUE_SECOND_FACTOR_TO_FUND",
  "VENUE_SECRET_KEY",
  "VENUE_SERVICE_NAME",
  "VENUE_SIGN_IN_URI",
  "VENUE_SIMULATED_PRICES",
  "VENUE_SIMULATED_RAILS",
  "VENUE_START",
  "VENUE_STOP_SECONDS",
  "VENUE_TERMS_VERSION",
  "VENUE_TRACE_RATIO",
  "VENUE_TRADE_PORT",
  "VENUE_TRON_API_KEY",
  "VENUE_TRON_FEE_LIMIT_TRX",
  "VENUE_TRON_GENESIS",
  "VENUE_TRON_NODE_URLS",
  "VENUE_TRON_TOKEN",
  "VENUE_TRON_XPUB",
  "VENUE_TRUSTED_PROXIES",
  "VENUE_TWO_PEOPLE_ABOVE",
  "VENUE_WALLET_HOST",
  "VENUE_WALLET_HOT_KEY",
  "VENUE_WALLET_MAX_PAYMENT",
  "VENUE_WALLET_MAX_PER_DAY",
  "VENUE_WALLET_PORT",
  "VENUE_WALLET_RECORD",
  "VENUE_WALLET_SECRET",
  "VENUE_WALLET_SIGN_IN",
  "VENUE_WALLET_TRON_KEY",
  "VENUE_WALLET_URL",
  "VENUE_WALLET_XPRV",
  "VENUE_WATCHED_PATHS",
  "VENUE_WEBHOOK_LOOPBACK",
  "VENUE_WITNESS_DIR"
]

/** Variables that the start script and the tests set. */
const ofScripts = ["VENUE_BOOT", "VENUE_TESTS"]

/** Addresses that Kubernetes gives to each container for a service whose name begins with `venue`. */
const ofKubernetes = /_(SERVICE_HOST|SERVICE_PORT\w*|PORT|PORT_\d+_(TCP|UDP)\w*)$/

/** Whether a variable is a setting of any program, or the file of a secret. */
export const has = (name: string): boolean =>
  all.includes(name) || SecretFiles.secrets.some((secret) => `${secret}_FILE` === name) || ofScripts.includes(name)

/** Whether the name has the form of a variable that Kubernetes sets. */
export const isOfKubernetes = (name: string): boolean => ofKubernetes.test(name)

/** Returns the setting whose name differs in one or two letters, or undefined. */
export const nearest = (name: string): string | undefined => {
  const plain = name.replace(/_FILE$/, "")
  const byDistance = all.map((known) => [known, distance(plain, known)] as const)
  const [known, least] = byDistance.reduce((best, next) => (next[1] < best[1] ? next : best))
  return least <= 2 ? known : undefined
}

/** Returns the Levenshtein distance: the least number of inserted, deleted and replaced letters. */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1]
    for (const [column, other] of [...to].entries())
      next.push(Math.min(next[column]! + 1, row[column + 1]! + 1, row[column]! + (letter === other ? 0 : 1)))
    row = next
  }
  return row[to.length]!
}
