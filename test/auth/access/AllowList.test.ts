import * as AllowList from "@venue/auth/access/AllowList"
import { assert, it } from "@effect/vitest"

it("matches an address that is listed or belongs to a listed network", () => {
  const isListed = AllowList.of(["192.0.2.1", "10.0.0.0/8", "2001:db8::/32"])
  for (const address of ["192.0.2.1", "10.255.0.1", "2001:db8::1", "::ffff:10.1.2.3"]) assert.isTrue(isListed(address))
  for (const address of ["192.0.2.2", "11.0.0.1", "2001:db9::1", "", "10.0.0", "10.0.0.0/8"]) {
    assert.isFalse(isListed(address))
  }
})

it("matches no address if the list is empty", () => {
  assert.isFalse(AllowList.of([])("192.0.2.1"))
})

it("accepts each address or network in exactly one notation", () => {
  for (const entry of ["192.0.2.1", "10.0.0.0/8", "0.0.0.0/0", "2001:db8::/128"]) {
    assert.isTrue(AllowList.isNetwork(entry), entry)
    AllowList.of([entry])
  }
  for (const entry of ["", "10.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/8/8", "::/129", "::1%lo"]) {
    assert.isFalse(AllowList.isNetwork(entry), entry)
    assert.throws(() => AllowList.of([entry]), entry)
  }
})
