/** The headers of our own, under the operator's prefix and the neutral one: both are accepted, one is documented. */

export type Header =
  | "public-key"
  | "hmac-signature"
  | "nonce"
  | "timestamp"
  | "requested-account-id"
  | "builder-code"
  /** In answers to who was not let in: Unix milliseconds, so that an honest client sees how far its clock is off. */
  | "server-time"

/** Lower case, as servers give header names. */
export const headerName = (brand: string, header: Header): string => `x-${brand.toLowerCase()}-${header}`

/** The operator's own spelling wins over the neutral one. */
export const headerValue = (
  headers: Readonly<Record<string, string | undefined>>,
  brand: string,
  header: Header
): string | undefined => headers[headerName(brand, header)] ?? headers[headerName(neutralBrand, header)]

export const neutralBrand = "svc"
