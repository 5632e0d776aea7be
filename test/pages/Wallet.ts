/** An EIP-1193 wallet for a page: the provider runs in the page, the key stays in the test. */
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { hexToString, type Hex } from "viem"
import * as Wallet from "../gateway/auth/Wallet.ts"

export interface WalletOptions {
  readonly name?: string
  /** Sets `window.ethereum` and sends no EIP-6963 announcement. */
  readonly isUnannounced?: boolean
  /** Changes the letter case of the wallet's address. */
  readonly spelling?: (address: string) => string
  /** Returns the error code to send instead of a signature, or undefined to sign. */
  readonly refusal?: () => number | undefined
  /** Changes the message before it is signed. */
  readonly misread?: (message: string) => string
  readonly signatureForm?: (signature: string) => string
}

export interface PageWallet extends Wallet.Wallet {
  /** Messages that pages asked the wallet to sign. */
  readonly shown: ReadonlyArray<string>
  readonly enter: (page: Page) => Promise<void>
}

export const make = (options: WalletOptions = {}): PageWallet => {
  const { misread = same, name = "Test Wallet", refusal, signatureForm = same, spelling = same } = options
  const wallet = Wallet.wallet()
  const account = spelling(wallet.address)
  const shown: Array<string> = []

  const answer = async (method: string, [payload = "0x", from]: ReadonlyArray<string>): Promise<unknown> => {
    if (method === "eth_requestAccounts") return [account]
    if (method === "eth_chainId") return "0xa4b1"
    if (method !== "personal_sign" || from !== account) throw new Refused(4100)
    const message = hexToString(payload as Hex)
    shown.push(message)
    const code = refusal?.()
    if (code !== undefined) throw new Refused(code)
    return signatureForm(await Effect.runPromise(wallet.sign(misread(message))))
  }

  return {
    ...wallet,
    shown,
    enter: async (page) => {
      const binding = `ask${wallet.address}`
      await page.exposeFunction(binding, ({ method, params }: { method: string; params: ReadonlyArray<string> }) =>
        answer(method, params).then(
          (result) => ({ result }),
          (error: Refused) => ({ error: { code: error.code } })
        )
      )
      await page.addInitScript({ content: provider(binding, name, options.isUnannounced ?? false) })
    }
  }
}

const same = <A>(value: A): A => value

class Refused extends Error {
  readonly code: number
  constructor(code: number) {
    super(`refused with ${code}`)
    this.code = code
  }
}

const provider = (binding: string, name: string, isUnannounced: boolean): string => `{
  const provider = {
    request: async (call) => {
      const { result, error } = await window[${JSON.stringify(binding)}](call)
      if (error) throw error
      return result
    }
  }
  const info = { uuid: crypto.randomUUID?.() ?? "", name: ${JSON.stringify(name)}, icon: "data:,", rdns: "test.wallet" }
  const announce = () =>
    dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }))
  if (${isUnannounced}) window.ethereum = provider
  else addEventListener("eip6963:requestProvider", announce)
}`
