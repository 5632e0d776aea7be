/** Text of `docs/operate/settings.md` from the declarations of settings; `npm run settings` writes it. */
import { type Change, type Declared, declared } from "../../../apps/process/Setting.ts"
import * as AuditorSettings from "../../../apps/auditor/AuditorSettings.ts"
import * as Bank from "../../../apps/bank/Bank.ts"
import * as ClusterSettings from "../../../apps/cluster/ClusterSettings.ts"
import * as Identity from "../../../apps/identity/Identity.ts"
import * as LogSettings from "../../../apps/process/LogSettings.ts"
import * as ProcessEnd from "../../../apps/process/ProcessEnd.ts"
import * as WalletSettings from "../../../apps/wallet/WalletSettings.ts"

/** Modules whose import declares all settings. */
export const modules: ReadonlyArray<object> = [
  AuditorSettings,
  Bank,
  ClusterSettings,
  Identity,
  LogSettings,
  ProcessEnd,
  WalletSettings
]

export const path = "docs/operate/settings.md"

const changes: Readonly<Record<Change, string>> = {
  never: "fixed at the first start",
  running: "while running: `PUT /settings`",
  "all nodes": "equal on all nodes",
  "all runners": "equal on all runners",
  "all gateways": "equal on all gateways",
  replaced: "equal on all gateways; [replaceable](keys.md) by rolling restarts",
  "replaced on all nodes": "equal on all nodes; [replaceable](keys.md) by rolling restarts",
  process: "restart of the process"
}

const sections: ReadonlyArray<readonly [title: string, names: RegExp]> = [
  ["Rails, wallet and bank", /^VENUE_(ARBITRUM|TRON|WALLET_(?!SIGN)|BANK|RAIL|SIMULATED_RAILS)/],
  [
    "Processes",
    /^VENUE_(CLUSTER|LOG|STOP|NODE|HEALTH|OTLP|TRACE|AUDIT|ARCHIVE|DATA|MIGRATION|CLOCK|ENVIRONMENT|MARKET_MAKER|EXTRA_USERS|INIT|START|WITNESS|EXPECTED_REPLICAS|WATCHED_PATHS)/
  ],
  ["Addresses", /^VENUE_(HOST|ADMIN_(?!TOKEN)\w+|\w+_PORT|PUBLIC_\w+_URL|TRUSTED_PROXIES|COUNTRY_HEADER|ACCESS_LOG)$/],
  [
    "Sign-in and users",
    /^VENUE_(CAPTCHA|IDENTITY|SIGN_IN|WALLET_SIGN|LOWERCASE|PUBLIC_FORM|SERVICE_NAME|AUTH|ADMIN|SECOND)/
  ],
  ["Trading", /./]
]

const intro = `# Settings

Settings are environment variables. An empty variable counts as absent. \`npm run settings\` writes this page from the code.

- **Secrets** (marked †) may be in a file: \`VENUE_SECRET_KEY_FILE\` is the path of a file that holds \`VENUE_SECRET_KEY\`.
- **Read by**: \`start\` is \`npm start\`, \`cluster\` is \`npm run cluster\` and its processes, the others are programs of \`apps/\`.
- **Changes**: how a setting gets another value. There are three classes:
  - *fixed at the first start*: never. A start with another value fails.
  - *equal on all nodes* (runners, gateways): compared when a node joins; a difference ends its start with the names of the settings and of the
    other nodes. Stop all named nodes, and start them with the new value. *Restart of the process* needs no other process.
  - *while running*: \`PUT /settings\` of the operator interface, in force on all nodes within a second
    ([change settings](runbook.md#change-settings)). The variable has the initial value. Once the venue has stored a value, the variable is
    ignored, with a warning if it differs.
`

/** Returns the text of the page. */
export const page = (): string => {
  const rest = new Set(declared)
  const tables = sections.map(([title, names]) => {
    const settings = [...rest].filter(({ name }) => names.test(name))
    for (const setting of settings) rest.delete(setting)
    return [title, settings.toSorted((a, b) => (a.name < b.name ? -1 : 1))] as const
  })
  return [
    intro,
    ...tables.toReversed().map(([title, settings]) => `## ${title}\n\n${head}\n${settings.map(row).join("\n")}\n`)
  ].join("\n")
}

const head = "| variable | default | meaning | read by | changes |\n| --- | --- | --- | --- | --- |"

const row = ({ changes: change, isSecret, meaning, name, readers, unit, usual }: Declared): string => {
  const value = `${/^[\w./:-]+$/.test(usual) && !/^(none|required|any)$/.test(usual) ? `\`${usual}\`` : usual}${unit === undefined ? "" : ` ${unit}`}`
  return `| \`${name}\`${isSecret ? " †" : ""} | ${value} | ${meaning} | ${readers.join(", ")} | ${changes[change]} |`
}
