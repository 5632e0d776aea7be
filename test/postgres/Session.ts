/** Sessions of tools that must not share a pool with the venue, each for one statement. */
import { createRequire } from "node:module"

interface Client {
  readonly connect: () => Promise<void>
  readonly end: () => Promise<void>
  readonly query: <Row>(query: {
    text: string
    values: ReadonlyArray<unknown>
  }) => Promise<{ rows: ReadonlyArray<Row> }>
  readonly on: (event: "error", ignore: () => void) => void
}
const { Client } = createRequire(import.meta.url)("pg") as {
  readonly Client: new (options: object) => Client
}

/** Runs a statement in a session of its own, with these options of the client `pg`. */
export const run = async <Row>(
  options: { readonly connectionString: string } & Readonly<Record<string, unknown>>,
  text: string,
  values: ReadonlyArray<unknown> = []
): Promise<ReadonlyArray<Row>> => {
  const client = new Client(options)
  client.on("error", () => {})
  await client.connect()
  try {
    return (await client.query<Row>({ text, values })).rows
  } finally {
    await client.end()
  }
}
