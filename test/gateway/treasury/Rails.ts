/** Rails with real address derivation; every other request fails. */
import type { RailName } from "@venue/domain/Rail"
import * as DepositAddresses from "@venue/providers/rails/arbitrum/DepositAddresses"
import { type RailProvider, RailProviders, RailUnavailable } from "@venue/providers/rails/RailProvider"
import * as TronAddress from "@venue/providers/rails/tron/TronAddress"
import { Effect, Layer, Result } from "effect"
import { mnemonicToAccount } from "viem/accounts"

const mnemonic = "test test test test test test test test test test test junk"
const { publicExtendedKey } = mnemonicToAccount(mnemonic, { path: "m/44'/60'/7'/0" }).getHdKey()

export const addressAt = Result.getOrThrow(DepositAddresses.make(publicExtendedKey))

export const tronAddressAt = (index: number): string => TronAddress.ofEvm(addressAt(index))

/** Contract addresses of the tokens. */
export const tokens = {
  ARBITRUM_ONE: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
  TRON: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
} as const

const rail = (
  name: RailName,
  addressAt: RailProvider["addressAt"],
  token: Pick<RailProvider, "tokenContract">
): readonly [RailName, RailProvider] => {
  const cutOff = Effect.fail(new RailUnavailable({ rail: name, cause: "a test" }))
  const provider = {
    rail: name,
    addressAt,
    ...token,
    scan: () => cutOff,
    arrivalStates: () => cutOff,
    nextSequence: () => cutOff,
    isOrdered: false,
    check: () => cutOff,
    sign: () => cutOff,
    send: () => cutOff,
    outcome: () => cutOff,
    holdings: () => cutOff
  }
  return [name, provider]
}

export const layer = Layer.succeed(RailProviders)(
  new Map([
    rail("ARBITRUM_ONE", addressAt, { tokenContract: tokens.ARBITRUM_ONE }),
    rail("TRON", tronAddressAt, { tokenContract: tokens.TRON }),
    rail("BANK", undefined, {})
  ])
)

/** Venue without any rails. */
export const layerNone = Layer.succeed(RailProviders)(new Map())
