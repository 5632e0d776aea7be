/** The message that a wallet signs to sign in: EIP-4361, in the one way that venues read it. */

export interface WalletMessage {
  /** With its checksum. */
  readonly address: string
  /** The page that the wallet signs in to. */
  readonly uri: string
  /** As the venue calls itself. */
  readonly serviceName: string
  readonly chainId: string
  readonly nonce: string
  readonly issuedAtMillis: number
}

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
