/** Addresses and networks a key may be used from. */
import { BlockList, isIP } from "node:net"

/** An address, or a network such as `10.0.0.0/8`. */
export const isEntry = (text: string): boolean => {
  const [address = "", bits, ...rest] = text.split("/")
  const family = isIP(address)
  if (family === 0 || address.includes("%") || rest.length > 0) return false
  return bits === undefined || (/^(?:0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

/** An empty list admits everybody, any other nobody whose address is not known. */
export const admits = (entries: ReadonlyArray<string>, address: string): boolean => {
  if (entries.length === 0) return true
  if (isIP(address) === 0) return false
  const list = new BlockList()
  for (const entry of entries) {
    const [network = "", bits] = entry.split("/")
    if (bits === undefined) list.addAddress(network, familyOf(network))
    else list.addSubnet(network, Number(bits), familyOf(network))
  }
  return list.check(address, familyOf(address))
}

const familyOf = (address: string) => (isIP(address) === 4 ? "ipv4" : "ipv6")
