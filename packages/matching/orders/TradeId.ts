/** Ids of a market's trades, derived from their numbers. */
import { type Id, version4 } from "@venue/domain/Id"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { mix } from "@venue/domain/BitMix"

/** 64 bits derived from the symbol. Each trade id combines these bits with the trade number. */
export interface Salt {
  readonly high: number
  readonly low: number
}

export const salt = (symbol: MarketSymbol): Salt => ({
  high: digest(symbol, 1) ^ digest(symbol, 3),
  low: digest(symbol, 2) ^ digest(symbol, 4)
})

/**
 * Returns the id of a market's nth trade. The first and last words are a bijection of `number`, so no two trades in
 * one market share an id. The other 58 bits identify the market, so no two markets share an id.
 */
export const ofTrade = (number: number, { high, low }: Salt): Id => {
  let left = Math.floor(number / 0x1_0000_0000) | 0
  let right = number | 0
  for (let round = 1; round <= 4; round++) {
    const turned = left ^ mix((right + Math.imul(round, 0x9e3779b1)) ^ low)
    left = right
    right = turned
  }
  return version4(left, high, low, right)
}

/** Returns one word of a hash of a text. */
export function digest(text: string, word: number): number {
  let h = mix(word ^ text.length)
  for (let i = 0; i < text.length; i++) h = mix(h ^ Math.imul(text.charCodeAt(i) + 1, 0x9e3779b1))
  return h
}
