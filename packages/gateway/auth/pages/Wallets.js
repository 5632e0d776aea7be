/** Wallets of this browser (EIP-6963, else `window.ethereum`), and requests to them (EIP-1193). */
import { Refusal } from "./Sentences.js"

/** Calls `onWallet` once for each wallet, including those that load late. */
export const watch = (onWallet) => {
  const providers = new Set()
  const announce = (name, provider) => {
    if (typeof provider?.request !== "function" || providers.has(provider)) return
    providers.add(provider)
    onWallet({ name, provider })
  }
  const announceLegacy = () => {
    if (providers.size === 0) announce("Browser wallet", window.ethereum)
  }
  addEventListener("eip6963:announceProvider", ({ detail }) =>
    announce(detail?.info?.name ?? "a wallet", detail?.provider)
  )
  addEventListener("ethereum#initialized", announceLegacy)
  dispatchEvent(new Event("eip6963:requestProvider"))
  announceLegacy()
}

/** Requests a signature of the message that `write` returns for the account and chain of the wallet. */
export const prove = async (provider, write) => {
  const [account] = (await ask(provider, "eth_requestAccounts")) ?? []
  if (typeof account !== "string") throw new Refusal("wallet_without_account")
  const chainId = BigInt(await ask(provider, "eth_chainId"))
  const message = await write(account, chainId)
  const signature = await ask(provider, "personal_sign", [hex(message), account])
  if (!/^0x[0-9a-f]{130}$/i.test(signature)) throw new Refusal("wallet_signature")
  return { message, signature }
}

const ask = async (provider, method, params = []) => {
  try {
    return await provider.request({ method, params })
  } catch (error) {
    throw new Refusal(codes[error?.code] ?? "wallet_failed")
  }
}

const codes = { 4001: "wallet_declined", [-32002]: "wallet_waiting" }

/** Returns a `personal_sign` payload; with 0x, since wallets differ in how they read other text. */
const hex = (text) => `0x${hexOf(new TextEncoder().encode(text))}`

export const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
