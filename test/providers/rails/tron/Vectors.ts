/**
 * Transfers of the token as tronweb 6.5.1 builds and signs them, made once outside of this repository (`npm install tronweb@6.5.1`) by
 *
 *   const tron = new TronWeb({ fullHost: "http://127.0.0.1:1", privateKey })
 *   const blockHeader = { ref_block_bytes: refBlockId.slice(12, 16), ref_block_hash: refBlockId.slice(16, 32), expiration, timestamp }
 *   const { transaction } = await tron.transactionBuilder.triggerSmartContract(
 *     token, "transfer(address,uint256)", { txLocal: true, feeLimit, blockHeader },
 *     [{ type: "address", value: to }, { type: "uint256", value: amount }], from)
 *   const { raw_data_hex, txID, signature } = await tron.trx.sign(transaction, privateKey)
 */
export const vectors = [
  {
    privateKey: "0000000000000000000000000000000000000000000000000000000000000001",
    from: "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC",
    to: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
    token: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
    amount: 1n,
    refBlockId: "0000000002fae13af77e3d41a08627787aac6d6b14b35a6a0f61d2f6406a6786",
    expirationMillis: 1_764_000_000_000,
    timestampMillis: 1_763_999_400_000,
    feeLimit: 100_000_000,
    rawData:
      "0a02e13a2208f77e3d41a08627784080d0dfb4ab335aae01081f12a9010a31747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e54726967676572536d617274436f6e747261637412740a15417e5f4552091a69125d5dfcb7b8c2659029395bdf121541a614f803b6fd780986a42c78ec9c7f77e6ded13c2244a9059cbb0000000000000000000000005cbdd86a2fa8dc4bddd8a8f69dba48572eec07fb000000000000000000000000000000000000000000000000000000000000000170c080bbb4ab33900180c2d72f",
    txId: "2d25cb6280c6d8e92f4403bfe48f64cef625bf43b07729e8089bd890ad5650e2",
    signature:
      "51de3989ae6b8b17372ab427476f121180da895dce0faaa96ad79bb4320eea884712cf941888b0e8821fd4d9464d705bdf4f840d6e3f2bf4cd0afead7930ae581b"
  },
  {
    privateKey: "0000000000000000000000000000000000000000000000000000000000000001",
    from: "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC",
    to: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
    token: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
    amount: 997_000_000n,
    refBlockId: "0000000004a1ffff8d3996515f1a5920b10654086f36bcf0f530884da714ed1c",
    expirationMillis: 1_764_000_060_001,
    timestampMillis: 1_764_000_000_000,
    feeLimit: 50_000_000,
    rawData:
      "0a02ffff22088d3996515f1a592040e1a4e3b4ab335aae01081f12a9010a31747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e54726967676572536d617274436f6e747261637412740a15417e5f4552091a69125d5dfcb7b8c2659029395bdf121541a614f803b6fd780986a42c78ec9c7f77e6ded13c2244a9059cbb0000000000000000000000005cbdd86a2fa8dc4bddd8a8f69dba48572eec07fb000000000000000000000000000000000000000000000000000000003b6d03407080d0dfb4ab33900180e1eb17",
    txId: "f6260966590e3beb9fa079b48f711f95edab79526532ceb0034ef0aa3733cb81",
    signature:
      "b0987e39bc075d540722f0441477fa25c4bdeb313b61e72da17e5ea113ebc03a781f11991badaadd2032491f23e341df43d4baaf6ab31c9d4ea08c70a443d88c1b"
  },
  {
    privateKey: "b5a4cea271ff424d7c31dc12a3e43e401df7a40d7412a15750f3f0b6b5449a28",
    from: "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH",
    to: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
    token: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
    amount: 9_007_199_254_740_993n,
    refBlockId: "0000000004a10000000000000a5920b10654086f36bcf0f530884da714ed1c00",
    expirationMillis: 1_900_000_000_000,
    timestampMillis: 1_899_999_999_999,
    feeLimit: 1_000_000_000,
    rawData:
      "0a0200002208000000000a5920b14080f0cc86a6375aae01081f12a9010a31747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e54726967676572536d617274436f6e747261637412740a1541c8599111f29c1e1e061265b4af93ea1f274ad78a121541a614f803b6fd780986a42c78ec9c7f77e6ded13c2244a9059cbb0000000000000000000000005cbdd86a2fa8dc4bddd8a8f69dba48572eec07fb000000000000000000000000000000000000000000000000002000000000000170ffefcc86a63790018094ebdc03",
    txId: "fcceac158f54c3d2df94edc199f1924905d250ec890061c74d3f9ba1dd429fd4",
    signature:
      "6bd9ae0a53d4a30b6b442981d7dd23cf048536dc554cd6ffe140fce360d0a7094290ef20b15bbca5e4e257a3b95101f5a777e04462c6ab92e8cd71f91bc6e6e31b"
  }
]
