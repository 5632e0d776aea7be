/** Lists of IP addresses and networks: allowed sources of a key, and trusted proxies. */
import { BlockList, isIP } from "node:net"

/** Returns true for an IP address or for a network such as `10.0.0.0/8`. */
export const isNetwork = (text: string): boolean => {
  const [address = "", bits, ...rest] = text.split("/")
  const family = isIP(address)
  if (family === 0 || address.includes("%") || rest.length > 0) return false
  return bits === undefined || (/^(?:0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

/** Returns a predicate that is true for IP addresses on the list. Throws if an entry is neither address nor network. */
export const of = (entries: ReadonlyArray<string>): ((address: string) => boolean) => {
  if (entries.length === 0) return () => false
  const list = new BlockList()
  for (const entry of entries) add(list, entry)
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address))
}

const add = (list: BlockList, entry: string): void => {
  if (!isNetwork(entry)) throw new Error(`neither an IP address nor a network: ${entry}`)
  const [address = "", bits] = entry.split("/")
  if (bits === undefined) list.addAddress(address, familyOf(address))
  else list.addSubnet(address, Number(bits), familyOf(address))
}

const familyOf = (address: string) => (isIP(address) === 4 ? "ipv4" : "ipv6")
