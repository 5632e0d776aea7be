/** Withdrawal destination addresses. */
import { shown } from "@venue/api/Fault"
import type { BadRequest, Problems } from "@venue/api/Problem"
import { checksummed, isAddress } from "@venue/auth/wallet/WalletAddress"
import { Network } from "@venue/domain/Rail"
import * as TronAddress from "@venue/providers/rails/tron/TronAddress"
import { RailProviders } from "@venue/providers/rails/RailProvider"
import { RailStates } from "@venue/storage/treasury/RailStates"
import { Effect, Result } from "effect"

/**
 * Returns an address in display form. Refuses the rail's paying account and the token contract, because transfers to
 * a token contract can be lost.
 */
export const read = (
  problems: Problems,
  network: Network,
  sent: string,
  tokenContract: string | undefined,
  payingAccount?: string
): Result.Result<string, BadRequest> => {
  const refused = (message: string) =>
    Result.fail(problems.invalidValue("invalid-address", [{ location: "body.address", message, value: shown(sent) }]))
  if (!isOf[network](sent)) return refused(`Expected ${expected[network]}`)
  const address = written(network, sent)
  if (address === tokenContract) return refused("Expected a wallet address; this is the address of the token contract")
  return address === payingAccount
    ? refused("Expected an address outside the venue; the venue pays withdrawals from this address")
    : Result.succeed(address)
}

/** Returns an address of any network in display form, or undefined if the text is not an address of any network. */
export const ofAnyNetwork = (sent: string): string | undefined => {
  const network = Network.literals.find((name) => isOf[name](sent))
  return network === undefined ? undefined : written(network, sent)
}

/** Returns a network's paying account, or undefined until the rail has stored it with its cursor. */
export const payingAccount = Effect.map(Effect.all([RailProviders, RailStates]), ([rails, states]) =>
  Effect.fnUntraced(function* (network: Network) {
    const { cursor } = yield* states.find(network)
    return cursor === null ? undefined : rails.get(network)?.payingAccountIn?.(cursor)
  })
)

/** Returns an address in display form, which has a letter-case checksum on Arbitrum One. */
export const written = (network: Network, address: string): string =>
  network === "ARBITRUM_ONE" ? checksummed(address) : address

const isOf: { readonly [Name in Network]: (text: string) => boolean } = {
  ARBITRUM_ONE: (text) => isAddress(text, "any case"),
  // Decoding is slow for long texts, so the length is checked first.
  TRON: (text) => text.length === 34 && TronAddress.isAddress(text)
}

export const expected: { readonly [Name in Network]: string } = {
  ARBITRUM_ONE: "an ARBITRUM_ONE address: 0x and 40 hex digits, with a valid EIP-55 checksum if the case is mixed",
  TRON: "a TRON address: T and 33 more base58 characters, with a valid checksum"
}
