/** Text of `docs/operate/metrics.md` from the catalogue; `npm run metrics` writes it. */
import * as Catalogue from "@venue/telemetry/Catalogue"
import type { Definition } from "@venue/telemetry/Definition"

export const path = "docs/operate/metrics.md"

const intro = `# Metrics

Every metric of the venue. \`npm run metrics\` writes this page from \`packages/telemetry/catalogue\`. [monitoring.md](monitoring.md) describes
how to scrape them, and the alerts.

- A **counter** only grows while its process runs. Read it with \`rate\` or \`increase\`.
- A **gauge** is the value at the scrape. An age is \`+Inf\` before its first event.
- A **histogram** has the series \`_bucket\`, \`_sum\` and \`_count\`. Its buckets are fixed: see [Buckets](#buckets).
- A labelled counter appears with its first event. A metric of a part that is not connected, such as a chain, is absent.
`

/** Returns the text of the page. */
export const page = (): string =>
  [
    intro,
    ...Catalogue.groups.map(({ metrics, title }) =>
      [
        `## ${title}\n`,
        "| metric | type | labels | served by | meaning |",
        "| --- | --- | --- | --- | --- |",
        ...metrics.map(rowOf),
        ""
      ].join("\n")
    ),
    "## Buckets\n",
    "| metric | upper bounds |",
    "| --- | --- |",
    ...Catalogue.all
      .filter(({ type }) => type === "histogram")
      .map(({ boundaries, name }) => `| \`${name}\` | ${boundaries.join(", ")} |`),
    ""
  ].join("\n")

const rowOf = ({ help, labels, name, nodes, type }: Definition): string =>
  `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${nodes.length === 4 ? "all" : nodes.join(", ")} | ${help} |`
