/** The database URL: servers, TLS modes and refusals. */
import * as DatabaseUrl from "@venue/postgres/DatabaseUrl"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const parsed = (url: string) => Result.getOrThrow(DatabaseUrl.parse(url))
const expected = (url: string) => Result.getOrThrow(Result.flip(DatabaseUrl.parse(url)))

describe("servers", () => {
  it.each<readonly [url: string, hosts: ReadonlyArray<string>, isSearched: boolean]>([
    ["postgres://u:p@db/venue", ["db 5432"], false],
    ["postgresql://u:p@db:6432/venue?sslmode=require", ["db 6432"], false],
    ["postgres://u@a:1,b,[::1]:3/venue", ["a 1", "b 5432", "::1 3"], true],
    ["postgres://u@db/venue?target_session_attrs=read-write", ["db 5432"], true],
    ["postgres:///venue?host=a,b&port=1,2", ["a 1", "b 2"], true],
    ["postgres:///venue?host=a,b&port=7", ["a 7", "b 7"], true],
    ["postgres://u:p@127.0.0.1:5/venue?host=%2Fvar%2Frun", ["/var/run 5"], false],
    ["postgres:///venue", ["localhost 5432"], false]
  ])("reads the servers of %s in order", (url, hosts, isSearched) => {
    const of = parsed(url)
    assert.deepStrictEqual(
      of.hosts.map(({ host, port }) => `${host} ${port}`),
      hosts
    )
    assert.strictEqual(of.isSearched, isSearched)
  })

  it("leaves user, password, database and unknown parameters to the driver", () => {
    const { driverUrl } = parsed(
      "postgres://us%40er:p%3Aw@a,b/ven%20ue?application_name=x&sslmode=verify-full&sslrootcert=/ca.pem&host=c"
    )
    assert.strictEqual(driverUrl, "postgres://us%40er:p%3Aw@localhost/ven%20ue?application_name=x")
  })
})

it.each<readonly [url: string, part: string]>([
  ["mysql://u:hunter2@db/venue", "postgres://"],
  ["postgres://u:hunter2@db:0/venue", "server 1"],
  ["postgres://u:hunter2@a,b:70000/venue", "server 2"],
  ["postgres://u:hunter2@db/venue?sslmode=always", "sslmode disable"],
  ["postgres://u:hunter2@db/venue?target_session_attrs=standby", "target_session_attrs any"]
])("refuses %s and keeps the password out of the message", (url, part) => {
  assert.include(expected(url), part)
  assert.notInclude(expected(url), "hunter2")
})

describe("TLS", () => {
  const host = { host: "db.example", port: 5432 }
  const tls = (query: string, authorities?: Buffer) =>
    DatabaseUrl.tlsOf(parsed(`postgres://u@db.example/venue${query}`), authorities, host)
  const options = (query: string, authorities?: Buffer) => {
    const of = tls(query, authorities)
    assert.isObject(of)
    return of as Exclude<ReturnType<typeof tls>, false | undefined>
  }
  const other = { subject: { CN: "other" }, subjectaltname: "DNS:other" } as never

  it("connects in plain text if sslmode is absent or disable", () => {
    assert.isFalse(tls(""))
    assert.isFalse(tls("?sslmode=disable"))
  })
  it("leaves prefer and allow to the driver", () => {
    assert.isUndefined(tls("?sslmode=prefer"))
    assert.include(parsed("postgres://u@db/venue?sslmode=allow").driverUrl, "sslmode=allow")
  })
  it("checks no certificate with require, and the authority once sslrootcert is set", () => {
    assert.isFalse(options("?sslmode=require").rejectUnauthorized)
    const checked = options("?sslmode=require&sslrootcert=/ca.pem", Buffer.from("ca"))
    assert.isUndefined(checked.rejectUnauthorized)
    assert.deepStrictEqual(checked.ca, Buffer.from("ca"))
  })
  it("checks the host name only with verify-full", () => {
    assert.isUndefined(options("?sslmode=verify-ca").checkServerIdentity!("db.example", other))
    assert.instanceOf(options("?sslmode=verify-full").checkServerIdentity!("db.example", other), Error)
  })
})
