/** Parts of the database URL: servers, TLS and the other parameters of libpq's URLs that the driver reads itself. */
import { Result } from "effect"
import { checkServerIdentity, type ConnectionOptions } from "node:tls"

export interface DatabaseHost {
  readonly host: string
  readonly port: number
}

export type SslMode = "disable" | "allow" | "prefer" | "require" | "verify-ca" | "verify-full"

export interface DatabaseUrl {
  /** Servers in the order in which they are tried. */
  readonly hosts: readonly [DatabaseHost, ...ReadonlyArray<DatabaseHost>]
  /** Whether the server that accepts writes is searched: always with several servers. */
  readonly isSearched: boolean
  /** URL with the first server only, for the driver. */
  readonly driverUrl: string
  /** Undefined for a URL without `sslmode`, which connects without TLS. */
  readonly sslMode: SslMode | undefined
  /** Path of a file with certificates of authorities. Undefined means the authorities of Node. */
  readonly rootCertificates: string | undefined
}

/** Parses a URL. A failure names the faulty part and never contains the password. */
export const parse = (url: string): Result.Result<DatabaseUrl, string> => {
  const [, scheme, user = "", list = "", rest = ""] =
    /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/s.exec(url) ?? []
  if (scheme === undefined) return Result.fail("a URL that begins with postgres:// or postgresql://")
  const query = new URLSearchParams(/\?([^#]*)/.exec(rest)?.[1])
  const names = (query.get("host") ?? list).split(",")
  // The parameter `host` replaces the names before the path, and keeps their ports.
  const ports =
    query.get("port") ??
    list
      .split(",")
      .map((name) => /:(\d+)$/.exec(name)?.[1] ?? "")
      .join(",")
  const hosts: Array<DatabaseHost> = []
  for (const [place, name] of names.entries()) {
    const host = hostOf(name, portOf(ports, place))
    if (host === undefined) return Result.fail(`host:port pairs, separated by commas; server ${place + 1} is not one`)
    hosts.push(host)
  }
  const sslMode = query.get("sslmode") ?? undefined
  if (sslMode !== undefined && !isSslMode(sslMode)) {
    return Result.fail(`sslmode ${sslModes.join(", ")}; it is ${sslMode}`)
  }
  const target = query.get("target_session_attrs") ?? "any"
  if (!targets.includes(target)) {
    return Result.fail(`target_session_attrs ${targets.join(", ")}, because the venue writes; it is ${target}`)
  }
  const rootCertificates = query.get("sslrootcert") ?? undefined
  for (const name of ["host", "port", "target_session_attrs", "sslrootcert"]) query.delete(name)
  // The driver takes TLS from explicit options, except for the modes that try it first.
  if (sslMode !== "prefer" && sslMode !== "allow") query.delete("sslmode")
  const path = /^[^?#]*/.exec(rest)![0]
  const driverUrl = `${scheme}${user}localhost${path}${query.size === 0 ? "" : `?${query.toString()}`}`
  if (!URL.canParse(driverUrl)) {
    return Result.fail("percent-encoding of every character of user and password that is not a letter or digit")
  }
  const [first, ...others] = hosts
  return Result.succeed({
    hosts: [first!, ...others],
    isSearched: hosts.length > 1 || target !== "any",
    driverUrl,
    sslMode,
    rootCertificates: rootCertificates === "system" ? undefined : rootCertificates
  })
}

/**
 * Returns the driver's TLS options, with libpq's meaning of each mode. Undefined leaves the choice to the driver, which
 * reads `prefer` and `allow` from the URL.
 */
export const tlsOf = (
  { rootCertificates, sslMode = "disable" }: Pick<DatabaseUrl, "rootCertificates" | "sslMode">,
  authorities: Buffer | undefined,
  { host }: DatabaseHost
): false | ConnectionOptions | undefined => {
  const trusted = authorities === undefined ? {} : { ca: authorities }
  switch (sslMode) {
    case "disable":
      return false
    case "prefer":
    case "allow":
      return undefined
    case "require":
      // As in libpq, a file of authorities makes `require` check the authority.
      return rootCertificates === undefined
        ? { rejectUnauthorized: false }
        : { ...trusted, checkServerIdentity: () => undefined }
    case "verify-ca":
      return { ...trusted, checkServerIdentity: () => undefined }
    case "verify-full":
      return { ...trusted, checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate) }
  }
}

const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const
const isSslMode = (mode: string): mode is SslMode => sslModes.some((known) => known === mode)

const targets = ["any", "read-write", "primary"]

const usualPort = "5432"

/** Returns the port of a server. A single port applies to all servers. */
const portOf = (ports: string, place: number): string => {
  const all = ports.split(",")
  return (all.length === 1 ? all[0] : all[place]) || usualPort
}

const hostOf = (text: string, usual: string): DatabaseHost | undefined => {
  const [, bracketed, plain, port = usual] = /^(?:\[([^\]]+)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text) ?? []
  const name = bracketed ?? plain
  if (name === undefined || !/^\d{1,5}$/.test(port)) return undefined
  const number = Number(port)
  if (number < 1 || number > 65_535) return undefined
  if (name === "") return { host: "localhost", port: number }
  // A socket directory is percent-encoded in the host's place, and plain in the parameter `host`.
  const isSocket = name.startsWith("/") || name.toLowerCase().startsWith("%2f")
  if (isSocket || bracketed !== undefined) return { host: name.replaceAll(/%2f/gi, "/"), port: number }
  return URL.canParse(`http://${name}`) ? { host: name, port: number } : undefined
}
