/** Rails that have addresses, as real ones do. What else a rail does is not asked of them here. */
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

const rail = (name: RailName, addressAt: RailProvider["addressAt"]): readonly [RailName, RailProvider] => {
  const cutOff = Effect.fail(new RailUnavailable({ rail: name, cause: "a test" }))
  const provider = {
    rail: name,
    addressAt,
    scan: () => cutOff,
    arrivalStates: () => cutOff,
    firstSequence: cutOff,
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
  new Map([rail("ARBITRUM_ONE", addressAt), rail("TRON", tronAddressAt), rail("BANK", undefined)])
)

/** A venue that is connected to nothing. */
export const layerNone = Layer.succeed(RailProviders)(new Map())
