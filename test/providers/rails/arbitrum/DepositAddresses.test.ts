import * as DepositAddresses from "@venue/providers/rails/arbitrum/DepositAddresses"
import { Result } from "effect"
import * as fc from "fast-check"
import { HDKey, mnemonicToAccount, privateKeyToAddress } from "viem/accounts"
import { bytesToHex } from "viem"
import { assert, it } from "vitest"

/** Mnemonic of published wallet test vectors. */
const mnemonic = "test test test test test test test test test test test junk"
const account = mnemonicToAccount(mnemonic, { path: "m/44'/60'/0'/0" }).getHdKey()

it("derives the BIP-44 addresses that wallets derive from the same mnemonic", () => {
  const addressAt = Result.getOrThrow(DepositAddresses.make(account.publicExtendedKey))
  assert.deepStrictEqual([0, 1, 2, 9].map(addressAt), [
    "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
    "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720"
  ])
})

it("derives m/0H/1 of the first BIP-32 test vector from the public key of m/0H", () => {
  const parent =
    "xpub68Gmy5EdvgibQVfPdqkBBCHxA5htiqg55crXYuXoQRKfDBFA1WEjWgP6LHhwBZeNK1VTsfTFUHCdrfp1bgwQ9xv5ski8PX9rL2dZXvgGDnw"
  const child =
    "xpub6ASuArnXKPbfEwhqN6e3mwBcDTgzisQN1wXN9BJcM47sSikHjJf3UFHKkNAWbWMiGj7Wf5uMash7SyYq527Hqck2AxYysAA7xmALppuCkwQ"
  const addressAt = Result.getOrThrow(DepositAddresses.make(parent))
  assert.strictEqual(addressAt(1), DepositAddresses.addressOf(HDKey.fromExtendedKey(child)))
})

it("derives the address of the private child key at each index, and a different address per index", () => {
  const addressAt = Result.getOrThrow(DepositAddresses.make(account.publicExtendedKey))
  const index = fc.integer({ min: 0, max: DepositAddresses.gasPayerIndex })
  fc.assert(
    fc.property(index, index, (one, other) => {
      assert.strictEqual(addressAt(one), privateKeyToAddress(bytesToHex(account.deriveChild(one).privateKey!)))
      assert.strictEqual(addressAt(one) === addressAt(other), one === other)
    }),
    { numRuns: 30 }
  )
})

it("refuses a private key in place of a public key, without repeating the private key", () => {
  const refused = DepositAddresses.make(account.privateExtendedKey!)
  assert.isTrue(Result.isFailure(refused))
  assert.notInclude(String(refused), account.privateExtendedKey!.slice(10, 30))
  assert.isTrue(Result.isFailure(DepositAddresses.make("xpub")))
  assert.isTrue(Result.isFailure(DepositAddresses.make("")))
})
