/** Message that a wallet signs to sign in, in the exact EIP-4361 form that venues accept. */

/** Values in the message. */
export interface WalletMessage {
  /** Checksummed address (EIP-55). */
  readonly address: string
  /** URI of the page that the wallet signs in to. */
  readonly uri: string
  /** Venue name in the statement. */
  readonly serviceName: string
  readonly chainId: string
  readonly nonce: string
  readonly issuedAtMillis: number
}

/** Returns the text to sign. */
export const text = ({ address, chainId, issuedAtMillis, nonce, serviceName, uri }: WalletMessage): string =>
  [
    `${new URL(uri).host} wants you to sign in with your Ethereum account:`,
    address,
    "",
    `Sign in to ${serviceName}`,
    "",
    `URI: ${uri}`,
    "Version: 1",
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${new Date(issuedAtMillis).toISOString()}`
  ].join("\n")
