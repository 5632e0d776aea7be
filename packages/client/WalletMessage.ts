/** Message that a wallet signs to sign in: EIP-4361 in the exact form that venues accept. */

/** Members of the message. */
export interface WalletMessage {
  /** Address with checksum (EIP-55). */
  readonly address: string
  /** Page that the wallet signs in to. */
  readonly uri: string
  /** Name of the venue in the statement. */
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
