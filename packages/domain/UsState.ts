/** States, districts, territories and military addresses of the USA: the codes of USPS Publication 28, appendix B. */

/** Returns true for a code or a name, in any letter case. */
export const isUsState = (text: string): boolean => known.has(text.trim().toUpperCase().replaceAll(/\s+/g, " "))

const codes =
  `AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI
  SC SD TN TX UT VT VA WA WV WI WY DC AS FM GU MH MP PW PR VI UM AA AE AP`.split(/\s+/)

const names =
  `Alabama,Alaska,Arizona,Arkansas,California,Colorado,Connecticut,Delaware,Florida,Georgia,Hawaii,Idaho,Illinois,Indiana,
  Iowa,Kansas,Kentucky,Louisiana,Maine,Maryland,Massachusetts,Michigan,Minnesota,Mississippi,Missouri,Montana,Nebraska,Nevada,
  New Hampshire,New Jersey,New Mexico,New York,North Carolina,North Dakota,Ohio,Oklahoma,Oregon,Pennsylvania,Rhode Island,
  South Carolina,South Dakota,Tennessee,Texas,Utah,Vermont,Virginia,Washington,West Virginia,Wisconsin,Wyoming,
  District of Columbia,American Samoa,Guam,Northern Mariana Islands,Puerto Rico,Virgin Islands`
    .split(",")
    .map((name) => name.trim().toUpperCase())

const known: ReadonlySet<string> = new Set([...codes, ...names])
