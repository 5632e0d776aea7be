/** One sentence for each way in which the database refuses a connection or a right, with the remedy. */
import type { SqlError } from "effect/sql/SqlError"
import { reasonOf } from "./DatabaseOutage.ts"

/** Returns the fault and the remedy. Postgres and Node leave passwords out of their messages. */
export const sentenceOf = (error: SqlError): string => {
  const reason = reasonOf(error).trim()
  const code = codeOf(error)
  const remedy = remedies.find(({ codes, pattern }) => codes.includes(code) || pattern?.test(reason) === true)
  return remedy === undefined
    ? `the database cannot be used (${reason}); start it, or set VENUE_DATABASE_URL to a running one`
    : `${remedy.wrong} (${reason}): ${remedy.fix}`
}

/** SQLSTATE of Postgres, or error code of Node, of the innermost cause that has one. */
const codeOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return ""
  const { cause, code, reason } = error as { readonly [key: string]: unknown }
  return codeOf(cause) || codeOf(reason) || (typeof code === "string" ? code : "")
}

interface Remedy {
  readonly codes: ReadonlyArray<string>
  readonly pattern?: RegExp
  readonly wrong: string
  readonly fix: string
}

/** In this order: a more specific remedy comes before a general one with the same code. */
const remedies: ReadonlyArray<Remedy> = [
  {
    codes: [],
    pattern: /permission denied to create role/,
    wrong: "the owner of the tables cannot create the database roles",
    fix: "grant it CREATEROLE, or create the roles that `npm run database-roles -- --print` names as a superuser"
  },
  {
    codes: [],
    pattern: /^VENUE_DATABASE_URL: /,
    wrong: "the database URL is refused",
    fix: "see docs/operate/database.md"
  },
  {
    codes: [],
    pattern: /no encryption|SSL off/,
    wrong: "the database accepts only encrypted connections",
    fix: "add sslmode=verify-full and sslrootcert=<file> to VENUE_DATABASE_URL"
  },
  {
    codes: [],
    pattern: /does not support TLS/,
    wrong: "the database offers no TLS",
    fix: "turn on ssl in Postgres, or set sslmode=disable on a private network"
  },
  {
    codes: ["ERR_TLS_CERT_ALTNAME_INVALID"],
    wrong: "the database's certificate is for another host name",
    fix: "use a name of the certificate in VENUE_DATABASE_URL, or sslmode=verify-ca"
  },
  {
    codes: ["CERT_HAS_EXPIRED"],
    wrong: "the database's certificate has expired",
    fix: "renew the certificate of the database server"
  },
  {
    codes: [
      "SELF_SIGNED_CERT_IN_CHAIN",
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
      "UNABLE_TO_GET_ISSUER_CERT",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      "CERT_SIGNATURE_FAILURE"
    ],
    wrong: "the database's certificate is of an unknown authority",
    fix: "set sslrootcert in VENUE_DATABASE_URL to the file with the authority's certificate"
  },
  {
    codes: ["28P01"],
    pattern: /server requested password authentication/,
    wrong: "the database refuses the password",
    fix: "correct user and password in VENUE_DATABASE_URL"
  },
  {
    codes: ["28000"],
    wrong: "the database refuses this role from this machine",
    fix: "create the role, give it LOGIN, and allow it in pg_hba.conf or in the firewall of the service"
  },
  {
    codes: ["3D000"],
    wrong: "the database does not exist",
    fix: "create it with CREATE DATABASE, or correct the name at the end of VENUE_DATABASE_URL"
  },
  {
    codes: [],
    pattern: /^permission denied for database/,
    wrong: "the role lacks CONNECT on the database",
    fix: "GRANT CONNECT ON DATABASE <database> TO <role>"
  },
  {
    codes: ["42501"],
    wrong: "the role of VENUE_DATABASE_URL lacks a right",
    fix: "GRANT it, or connect as the role that owns the tables; docs/operate/database.md lists the grants"
  },
  {
    codes: ["53300"],
    wrong: "the database has no free connection",
    fix: "raise max_connections; docs/operate/database.md lists the connections of each process"
  },
  {
    codes: ["57P03"],
    wrong: "the database is starting or recovering",
    fix: "wait until it accepts connections, and start again"
  },
  {
    codes: ["25006"],
    pattern: /is read-only$/,
    wrong: "no server of the database accepts writes",
    fix: "promote a standby, or list the primary in VENUE_DATABASE_URL"
  },
  {
    codes: ["ENOTFOUND", "EAI_AGAIN"],
    wrong: "the host name of VENUE_DATABASE_URL cannot be resolved",
    fix: "correct the host name, or the name server of this machine"
  },
  {
    codes: ["ECONNREFUSED"],
    wrong: "no server listens at the address of VENUE_DATABASE_URL",
    fix: "start the database, or correct host and port"
  },
  {
    codes: ["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"],
    pattern: /timed out|no response for/,
    wrong: "the database host does not respond",
    fix: "check its address, and the firewalls between this machine and the host"
  }
]
