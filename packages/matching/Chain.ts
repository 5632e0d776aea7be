/** Chains of records that share a hash, inside the records' own words. */

/** Takes a record out of its chain; records are `1 << shift` words wide and `link` is the word that names the next. */
export const cut = (
  words: Int32Array,
  heads: Int32Array,
  bucket: number,
  slot: number,
  shift: number,
  link: number
): void => {
  const rest = words[(slot << shift) + link]!
  let before = heads[bucket]!
  if (before === slot) heads[bucket] = rest
  else {
    while (words[(before << shift) + link] !== slot) before = words[(before << shift) + link]!
    words[(before << shift) + link] = rest
  }
}
