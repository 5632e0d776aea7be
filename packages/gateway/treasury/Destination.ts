/** Addresses that money may leave to. */
import { shown } from "@venue/api/Fault"
import type { BadRequest, Problems } from "@venue/api/Problem"
import { checksummed, isAddress } from "@venue/auth/wallet/WalletAddress"
import type { Network } from "@venue/domain/Rail"
import * as TronAddress from "@venue/providers/rails/tron/TronAddress"
import { Result } from "effect"

/** As it is written to users. */
export const read = (problems: Problems, network: Network, sent: string): Result.Result<string, BadRequest> =>
  isOf[network](sent)
    ? Result.succeed(written(network, sent))
    : Result.fail(
        problems.invalidValue("invalid-address", [
          { location: "body.address", message: `Expected ${expected[network]}`, value: shown(sent) }
        ])
      )

/** Where letter case is a checksum, with that. */
export const written = (network: Network, address: string): string =>
  network === "ARBITRUM_ONE" ? checksummed(address) : address

const isOf: { readonly [Name in Network]: (text: string) => boolean } = {
  ARBITRUM_ONE: (text) => isAddress(text, "any case"),
  // What is longer is not even decoded, which would take long.
  TRON: (text) => text.length === 34 && TronAddress.isAddress(text)
}

const expected: { readonly [Name in Network]: string } = {
  ARBITRUM_ONE: "an address of ARBITRUM_ONE: 0x and 40 hex digits, with the right checksum where their case is mixed",
  TRON: "an address of TRON: T and 33 more characters of base 58, with the right checksum"
}
