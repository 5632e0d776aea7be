/** The venue's headers: accepted with the operator's or the neutral prefix, documented with the operator's prefix. */

/** Header name without its prefix. */
export type Header =
  | "public-key"
  | "hmac-signature"
  | "nonce"
  | "timestamp"
  | "requested-account-id"
  | "builder-code"
  /** Unix milliseconds, sent with refused credentials so that a client can measure its clock error. */
  | "server-time"

/** Returns a header's full name in lower case, which is the form that Node provides. */
export const headerName = (brand: string, header: Header): string => `x-${brand.toLowerCase()}-${header}`

/** Returns a header's value; the operator's spelling takes precedence over the neutral spelling. */
export const headerValue = (
  headers: Readonly<Record<string, string | undefined>>,
  brand: string,
  header: Header
): string | undefined => headers[headerName(brand, header)] ?? headers[headerName(neutralBrand, header)]

/** Brand in header names with the neutral prefix, such as `x-svc-public-key`. */
export const neutralBrand = "svc"
