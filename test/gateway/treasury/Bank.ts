/** Valid bank account details. */
export const details = {
  first_name: "Ada",
  last_name: "Example",
  routing_number: "021000021",
  bank_name: "Example Bank",
  account_number: "000123456789",
  type: "checking",
  street_line_1: "1 Main Street",
  country: "USA",
  state: "NY",
  city: "New York",
  postal_code: "10001"
}
