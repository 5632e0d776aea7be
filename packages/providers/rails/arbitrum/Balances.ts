/** Balances of many accounts in one call. */
import { Result } from "effect"
import { decodeAbiParameters, encodeDeployData, encodeFunctionData, type Hex, parseAbi } from "viem"

/**
 * Maximum accounts per call. The response takes the place of a contract's code, which can be at most 24,576 bytes
 * long.
 */
export const maxAccounts = 500

/**
 * Returns the call that reads these accounts' balances. A single account uses the token's own method, because some
 * endpoints do not run constructor code.
 */
export const messageOf = (
  token: string,
  accounts: ReadonlyArray<string>
): { readonly to?: string; readonly data: string } => {
  const [account, another] = accounts as ReadonlyArray<Hex>
  return account !== undefined && another === undefined
    ? { to: token, data: encodeFunctionData({ abi: tokenAbi, functionName: "balanceOf", args: [account] }) }
    : {
        data: encodeDeployData({ abi: constructorAbi, bytecode, args: [token as Hex, accounts as ReadonlyArray<Hex>] })
      }
}

/** Returns the balances in request order, or undefined for a malformed response. */
export const read = (accounts: ReadonlyArray<string>, answer: Hex): ReadonlyArray<bigint> | undefined => {
  const balances = Result.getOrUndefined(
    Result.try((): ReadonlyArray<bigint> =>
      accounts.length === 1
        ? decodeAbiParameters([{ type: "uint256" }], answer)
        : decodeAbiParameters([{ type: "uint256[]" }], answer)[0]
    )
  )
  return balances?.length === accounts.length ? balances : undefined
}

const tokenAbi = parseAbi(["function balanceOf(address account) view returns (uint256)"])
const constructorAbi = parseAbi(["constructor(address token, address[] accounts)"])

/** Compiled from `Balances.sol`, which explains the method. */
const bytecode =
  "0x608060405234801561000f575f5ffd5b506040516102ec3803806102ec83398101604081905261002e9161019e565b5f81516001600160401b038111156100485761004861017a565b604051908082528060200260200182016040528015610071578160200160208202803683370190505b5090505f5b825181101561013757836001600160a01b03166370a082318483815181106100a0576100a061027e565b60200260200101516040518263ffffffff1660e01b81526004016100d391906001600160a01b0391909116815260200190565b602060405180830381865afa1580156100ee573d5f5f3e3d5ffd5b505050506040513d601f19601f820116820180604052508101906101129190610292565b8282815181106101245761012461027e565b6020908102919091010152600101610076565b505f8160405160200161014a91906102a9565b6040516020818303038152906040529050805160208201f35b6001600160a01b0381168114610177575f5ffd5b50565b634e487b7160e01b5f52604160045260245ffd5b805161019981610163565b919050565b5f5f604083850312156101af575f5ffd5b82516101ba81610163565b60208401519092506001600160401b038111156101d5575f5ffd5b8301601f810185136101e5575f5ffd5b80516001600160401b038111156101fe576101fe61017a565b604051600582901b90603f8201601f191681016001600160401b038111828210171561022c5761022c61017a565b604052918252602081840181019290810188841115610249575f5ffd5b6020850194505b8385101561026f576102618561018e565b815260209485019401610250565b50809450505050509250929050565b634e487b7160e01b5f52603260045260245ffd5b5f602082840312156102a2575f5ffd5b5051919050565b602080825282518282018190525f918401906040840190835b818110156102e05783518352602093840193909201916001016102c2565b50909594505050505056fe"
