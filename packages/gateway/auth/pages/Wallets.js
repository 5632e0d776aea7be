/** The wallets of this browser (EIP-6963, else the one at `window.ethereum`), and what is asked of them (EIP-1193). */
import { Refusal } from "./Sentences.js"

/** Tells of every wallet once, those that load late too. */
export const watch = (found) => {
  const providers = new Set()
  const tell = (name, provider) => {
    if (typeof provider?.request !== "function" || providers.has(provider)) return
    providers.add(provider)
    found({ name, provider })
  }
  const tellOnly = () => {
    if (providers.size === 0) tell("Browser wallet", window.ethereum)
  }
  addEventListener("eip6963:announceProvider", ({ detail }) => tell(detail?.info?.name ?? "a wallet", detail?.provider))
  addEventListener("ethereum#initialized", tellOnly)
  dispatchEvent(new Event("eip6963:requestProvider"))
  tellOnly()
}

/** Has the wallet sign what `write` makes of its account and chain. */
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

/** As a personal_sign payload: with 0x, since some wallets read other text as hex and some do not. */
const hex = (text) => `0x${hexOf(new TextEncoder().encode(text))}`

export const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
