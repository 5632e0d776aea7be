/** Headers of the venue: accepted under the operator's prefix and the neutral one, documented under the operator's. */

/** Name of a header without its prefix. */
export type Header =
  | "public-key"
  | "hmac-signature"
  | "nonce"
  | "timestamp"
  | "requested-account-id"
  | "builder-code"
  /** Unix milliseconds, sent with refused credentials so that a client can measure its clock error. */
  | "server-time"

/** Returns the full name of a header in lower case, as Node provides header names. */
export const headerName = (brand: string, header: Header): string => `x-${brand.toLowerCase()}-${header}`

/** Returns the value of a header; the operator's spelling takes precedence over the neutral one. */
export const headerValue = (
  headers: Readonly<Record<string, string | undefined>>,
  brand: string,
  header: Header
): string | undefined => headers[headerName(brand, header)] ?? headers[headerName(neutralBrand, header)]

/** Brand of the neutral prefix. */
export const neutralBrand = "svc"
