/** A plain connection to Postgres, independent of the venue's packages. */
import { createRequire } from "node:module"

/** The part of the `pg` package, which has no types, that the bench uses. */
export interface PostgresClient {
  readonly connect: () => Promise<void>
  readonly end: () => Promise<void>
  readonly query: <Row = unknown>(
    query: string | { name?: string; text: string; values: ReadonlyArray<unknown> }
  ) => Promise<{ readonly rows: ReadonlyArray<Row> }>
}

const { Client } = createRequire(import.meta.url)("pg") as {
  readonly Client: new (options: { connectionString: string }) => PostgresClient
}

export const connect = async (url: string): Promise<PostgresClient> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  return client
}
