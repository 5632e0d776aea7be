-- Rows of a venue of release 0.1.0, one to three of most tables: a development venue with trades, a TWAP, deposits,
-- withdrawals, an OAuth application and a webhook. Later releases never edit this file. All secrets are test values.
--
-- Restore with session_replication_role = replica, since triggers would add rows and some tables reference each other.
-- Transaction ids are replaced by 3, which is committed in every database. Each statement ends with ";" and a line break.

insert into founding (name, value) values
  ('VENUE_DESKS', '16'),
  ('the mark of VENUE_SECRET_KEY', 'abe2e526c4ba5792');

insert into operator (name, token_hash, roles, created_at, removed_at) values
  ('treasurer', 'b57820fc2dead29f29492f99ada04b6c4b287f5282162116f371ce650ab0a42c', '{treasurer}', '2026-11-27 23:00:57.066+00', NULL),
  ('dora', '66dd718e7dd624c7c302ae0c0534fa7e1291b5a5d97bc02cea6ce86727550b64', '{treasurer}', '2026-11-27 23:03:12.637+00', NULL);

insert into audit (number, recorded_at, action, actor, user_id, facts)
  overriding system value values
  (21, '2026-11-27 23:03:12.553+00', 'terms_accepted', '206b7277-df2e-415e-9603-1b98df8baf35', '206b7277-df2e-415e-9603-1b98df8baf35', '{"termsVersion": "1"}'),
  (24, '2026-11-27 23:03:12.626+00', 'own_money_told', 'treasurer', 'BANK', '{"amount": 1000, "reason": "fixture", "ownMoneyId": "bee71969-e3fb-4a2f-a167-f1e06d7a2c38"}'),
  (29, '2026-11-27 23:03:15.781+00', 'withdrawal_approved', 'treasurer', 'fb5f9f90-06af-4958-841d-ce90010852dd', '{"amount": "200000000", "reason": "fixture", "isDecided": true, "destination": "45f4764e-713c-42e1-8b0c-d7fdb38ae6ce", "withdrawalId": "ce2fb7f1-75a5-4318-9e0c-fdea352a39c0"}');
select setval(pg_get_serial_sequence('audit', 'number'), (select max(number) from audit));

insert into desk_report (desk, reported_at, traders) values
  ('15', '2026-11-27 23:06:12.759+00', '[{"seq": 2, "userId": "206b7277-df2e-415e-9603-1b98df8baf35", "markets": [], "accounts": [{"deposit": "0", "accountId": "206b7277-df2e-415e-9603-1b98df8baf35", "positions": [], "referralRewards": "0"}]}]');

insert into audit_mark (number, of_table, name, first_row, last_row, count, hash)
  overriding system value values
  (1, 'ledger_entry', 'withdrawal/4d96c871-b6e0-4511-95a8-780917b635e2', 1, 4, 4, 976363981949537758);
select setval(pg_get_serial_sequence('audit_mark', 'number'), (select max(number) from audit_mark));

insert into journal (stream, seq, epoch, recorded_at, events, transaction_id) values
  ('trader/6d30372a-6f71-409d-9f27-b638a42d2b09', 1, 1, '2026-11-27 23:00:56.960646+00', '\x', '3'),
  ('trader/6d30372a-6f71-409d-9f27-b638a42d2b09', 2, 1, '2026-11-27 23:00:56.986302+00', '\x0191de0006a45f746167a84372656469746564a86372656469744964d92e6465762d73746172742d36643330333732612d366637312d343039642d396632372d623633386134326432623039a96163636f756e744964d92436643330333732612d366637312d343039642d396632372d623633386134326432623039a6616d6f756e74d3000000174876e800a6726561736f6ea9646576207374617274a861744d696c6c6973cb427a21f3d8c15000', '3'),
  ('market/GBP-USD', 6, 1, '2026-11-27 23:00:59.435402+00', '\x010321e001a21f3d95a93a1301fd62f75f39bc5b4fbbbaee09d7e3e0118ffd528ebdee6eea4b55a65e71eb97b1f610c001f0658f620e6d6d2d6d777a6c3474796a2d373600e001a21f3da930a7103231391301fdcfb4c820519d4a1fb316f5d57b447a60fd528ebdee6eea4b55a65e71eb97b1f610c001efa58f620e6d6d2d6d777a6c3474796a2d373700e001a21f3da930a71032313a1301fdcfb4c820519d4a1fa4069cd32f46b9e1fd528ebdee6eea4b55a65e71eb97b1f610c001f08b8f620e6d6d2d6d777a6c3474796a2d373800e001a21f3da930a71032', '3');

insert into snapshot (stream, seq, bytes) values
  ('market/GBP-USD', 6, 1762);

insert into snapshot_piece (stream, seq, number, piece) values
  ('market/GBP-USD', 6, 0, '\x0000061ede001aa776657273696f6e01aa74696d654d696c6c6973cb427a21f3d95a9000ae6c61737450726963655469636b7300a674726164657300a6707269636573de0013a45f746167a6507269636564a6736f75726365a8696e7465726e616ca86f7261636c654538ce0791ddc0a6746f6c644538ce0791ddc0ac746f6c6441744d696c6c6973cb427a21f3d8965000aa72656a656374696f6e7300a6706175736564c2a66d61726b4538ce0791ddc0ab66726573684d61726b4538ce0791ddc0a97072656d69756d453800aa6c6f7765725469636b73ce0001eb22aa75707065725469636b73ce0001f50ead6d696e50726963655469636b73ce00015b44ad6d617850726963655469636b73ce000284ecad6c696d69745368617265427073cd03e8a86269645469636b73ce0001eff1a861736b5469636b73ce0001f03fb06f70656e496e7465726573744c6f747300a861744d696c6c6973cb427a21f3d94c1000ac74726164696e675374617465a754524144494e47a573696e6365de0005a57374616c6500a670617573656400aa756e62656c696576656400ac74726164696e67537461746500a966756e6453686f727400ad6f7261636c6553616d706c6573de0002a472756e7390a86c6173744d61726bce156868bbaf736574746c656d656e745469636b7300af6c6173744469766964656e6444617900a66c696d697473de0004af6d696e5175616e746974794c6f74730aaf6d61785175616e746974794c6f7473ce02faf080ab706f736974696f6e557364ce02faf080af6f70656e496e746572657374557364ce1dcd6500ac6c61737453706c697444617900af6c61737453706c69744d696c6c697300a7686f6c64657273de0002a96c6f6e67557365727300aa73686f7274557365727300a6746f7055707390a575736572739192d92435323865626465652d366565612d346235352d613635652d37316562393762316636313001a86163636f756e74739198d92435323865626465652d366565612d346235352d613635652d373165623937623166363130d92435323865626465652d366565612d346235352d613635652d373165623937623166363130000000000000a6746f74616c73de0007a9706f736974696f6e7300a46361736800a5626173697300a976656e75654665657300ab7265736572766546756e6400a8746f70706564557000ac6f70656e496e74657265737400a873616d706c696e67de0003aa7072656d69756d453130c0ab756e74696c4d696c6c697300a773616d706c6573de0002a5636f756e7400a8776569676874656400ac6275696c646572436f64657391a0a86275696c6465727390a66f7264657273de0004a5776f726473c50150395ff762bb4f5bbc4016bab30c892eeaf1ef0100620f0000620f000000000000102700002203000000804bd9f3217a420000000000000000395ff762bb4f5bbcbbbe0b9caeb3bb7bcbef0100620f0000620f000000000000102700002203000000804bd9f3217a42000000000000000020c8b4cf1f4a9d51d5f516b3607a447ba5ef0100620f0000620f000000000000102700002203000000905ad9f3217a420000000000000000395ff762bb4f5bbc88a31c9fbdec70ce3ff00100620f0000620f000000000000102700002303000000804bd9f3217a420000000000000000395ff762bb4f5bbcd709eeba8f11e0e365f00100620f0000620f000000000000102700002303000000905ad9f3217a42000000000000000020c8b4cf1f4a9d51d39c06a4e1b9462f8bf00100620f0000620f000000000000102700002303000000905ad9f3217a420000000000000000ae636c69656e744f7264657249647396ae6d6d2d6d777a6c3474796a2d3733ae6d6d2d6d777a6c3474796a2d3735ae6d6d2d6d777a6c3474796a2d3737ae6d6d2d6d777a6c3474796a2d3734ae6d6d2d6d777a6c3474796a2d3736ae6d6d2d6d777a6c3474796a2d3738a8627261636b65747390a461676573c418000000000300000001000000040000000200000005000000a573746f7073de0003ac6c61737453657175656e636500a573746f707390a364756590a974616b656f7665727390aa6c697175696461746564de0002a86e6f74696f6e616c00a861744d696c6c697300a5747761707390395ff762bb4f5bbc4016bab30c892eea0000000000000000006083daf3217a42395ff762bb4f5bbc88a31c9fbdec70ce0000000000000000006083daf3217a42395ff762bb4f5bbcbbbe0b9caeb3bb7b0000000001000000006083daf3217a42395ff762bb4f5bbcd709eeba8f11e0e30000000002000000000093daf3217a4220c8b4cf1f4a9d51d5f516b3607a447b0000000003000000000093daf3217a4220c8b4cf1f4a9d51d39c06a4e1b9462f0000000004000000000093daf3217a42');

insert into wake_up (user_id, reason, detail, desk) values
  ('fb5f9f90-06af-4958-841d-ce90010852dd', 'joined', 'AAPL-USD', '7'),
  ('528ebdee-6eea-4b55-a65e-71eb97b1f610', 'joined', 'AAPL-USD', '0');

insert into projection (position, seq) values
  ('candle:market/AAPL-USD', 886),
  ('daily_fee:market/AAPL-USD', 886),
  ('daily_volume:market/AAPL-USD', 886);

insert into trade (symbol, number, side, aggressor_side, trade_id, account_id, user_id, order_id, client_order_id, price, quantity, order_price, remaining, fee, realised, margin_used, order_type, time_in_force, origin, builder_code, liquidation, execution_type, at_millis) values
  ('AAPL-USD', 1, 'BUY', 'BUY', '6e9de0ae-edff-410f-a4a2-c916ddc1bafd', 'fb5f9f90-06af-4958-841d-ce90010852dd', 'fb5f9f90-06af-4958-841d-ce90010852dd', '3e8a7a05-1a7b-4611-b3bc-36d40bf0f64d', 'a1', 20018, 1000, 0, 0, 200180, 0, 40036000, 'MARKET', 'IOC', 'USER', '', 'NONE', 'NEW', 1795820502364),
  ('AAPL-USD', 1, 'SELL', 'BUY', '6e9de0ae-edff-410f-a4a2-c916ddc1bafd', '528ebdee-6eea-4b55-a65e-71eb97b1f610', '528ebdee-6eea-4b55-a65e-71eb97b1f610', '7d86edb8-2287-490b-9c3b-2c8d33d07d75', 'mm-mwzl4tyj-2', 20018, 1000, 20018, 23999, 40036, 0, 20018000, 'ALO', 'GTC', 'USER', '', 'NONE', 'NEW', 1795820502364);

insert into ended_order (order_id, status, ended_at_millis, symbol, account_id, user_id, client_order_id, side, order_type, time_in_force, price, quantity, reduce_only, asked_price, asked_quantity) values
  ('3e8a7a05-1a7b-4611-b3bc-36d40bf0f64d', 'FILLED', 1795820502364, 'AAPL-USD', 'fb5f9f90-06af-4958-841d-ce90010852dd', 'fb5f9f90-06af-4958-841d-ce90010852dd', 'a1', 'BUY', 'MARKET', 'IOC', 0, 1000, false, null, null),
  ('3e8a7a05-1a7b-4611-9895-9b5b8bca702e', 'INVALID_TICK_SIZE_PRECISION_PRICE', 1795820502364, 'AAPL-USD', 'fb5f9f90-06af-4958-841d-ce90010852dd', 'fb5f9f90-06af-4958-841d-ce90010852dd', 'a2', 'BUY', 'LIMIT', 'IOC', 0, 0, false, 200.001, 1),
  ('7d86edb8-2287-490b-9c3b-2c8d33d07d75', 'CANCELLED', 1795820519153, 'AAPL-USD', '528ebdee-6eea-4b55-a65e-71eb97b1f610', '528ebdee-6eea-4b55-a65e-71eb97b1f610', 'mm-mwzl4tyj-2', 'SELL', 'ALO', 'GTC', 20018, 24999, false, null, null);

insert into twap (twap_id, ended_at_millis, account_id, user_id, symbol, status, ending, client_twap_id, side, total_quantity, filled_quantity, filled_value, worst_price, slices, filled_slices, interval_millis, reduce_only, start_at_millis, created_at_millis) values
  ('4d96c871-b6e0-4511-8e13-3018302e9570', 1795820532366, 'fb5f9f90-06af-4958-841d-ce90010852dd', 'fb5f9f90-06af-4958-841d-ce90010852dd', 'AAPL-USD', 'COMPLETED', 'COMPLETED', 't1', 'BUY', 2000, 2000, 400370000, 0, 2, 2, 30000, false, 1795820502357, 1795820502357);

insert into ledger_entry (stream, seq, place, transaction_id, kind, account, asset, amount, reason, at_millis) values
  ('trader/6d30372a-6f71-409d-9f27-b638a42d2b09', 2, 0, 'dev-start-6d30372a-6f71-409d-9f27-b638a42d2b09', 'credit', '6d30372a-6f71-409d-9f27-b638a42d2b09', 'USD', 100000000000, 'dev start', 1795820456981),
  ('trader/6d30372a-6f71-409d-9f27-b638a42d2b09', 2, 1, 'dev-start-6d30372a-6f71-409d-9f27-b638a42d2b09', 'credit', 'venue/funding', 'USD', -100000000000, 'dev start', 1795820456981);

insert into daily_volume (user_id, day, symbol, account_id, maker, taker) values
  ('fb5f9f90-06af-4958-841d-ce90010852dd', 20784, 'AAPL-USD', 'fb5f9f90-06af-4958-841d-ce90010852dd', 0, 150598645510);

insert into holding (symbol, account_id, quarter_hour, quantity_lots, cash_flow, basis, fees, funding, rewards) values
  ('AAPL-USD', 'fb5f9f90-06af-4958-841d-ce90010852dd', 1995356, 2995, -692567650, 599299412, 150598661, 0, 0);

insert into mark_quarter_hour (symbol, quarter_hour, mark_e8) values
  ('AAPL-USD', 1995356, 19978990241);

insert into candle_minute (symbol, minute, open_ticks, high_ticks, low_ticks, close_ticks, volume_lots, notional, trades, taker_buy_lots, taker_buy_notional) values
  ('AAPL-USD', 29930341, 20018, 20018, 20018, 20018, 2000, 400360000, 2, 2000, 400360000),
  ('AAPL-USD', 29930342, 20019, 20019, 20019, 20019, 1000, 200190000, 1, 1000, 200190000);

insert into price_minute (symbol, minute, oracle_open_e8, oracle_high_e8, oracle_low_e8, oracle_close_e8, mark_open_e8, mark_close_e8, middle_open_half_ticks, middle_close_half_ticks, open_interest_open_lots, open_interest_close_lots) values
  ('AAPL-USD', 29930340, 20000000000, 20003183002, 20000000000, 20003183002, 20000000000, 20003183002, 40003, 40003, 0, 0);

insert into holders_minute (symbol, minute, long_users, short_users) values
  ('AAPL-USD', 29930342, 1, 1);

insert into listing (base, clob_pair_id, category, tick_e8, lot_e8, min_quantity_lots, max_quantity_lots, max_leverage, listed_at) values
  ('ZZZ', 1001, 'EQUITY', 1000000, 100000, 1, 10000000, 10, '2026-11-27 23:04:04.867+00');

insert into settlement_price (symbol, day, official_close_e8, settlement_e8, recorded_at, future_symbol) values
  ('CL-USD', '2026-11-26', 7100000000, 7126980000, '2026-11-27 23:00:57.355+00', NULL);

insert into exchange_holiday (day) values
  ('2026-12-25');

insert into settlement_calendar (symbol, active_from, active_until, future_symbol, expiration, recorded_at) values
  ('CL-USD', '2025-01-01 00:00:00+00', '2025-01-14 00:00:00+00', 'CLG5', '2025-01-21 00:00:00+00', '2026-11-27 23:00:57.291+00');

insert into venue_user (user_id, name, created_at) values
  ('fb5f9f90-06af-4958-841d-ce90010852dd', 'alice', '2026-11-27 23:00:55.658+00'),
  ('6d30372a-6f71-409d-9f27-b638a42d2b09', 'bob', '2026-11-27 23:00:55.659+00'),
  ('cd32cd4f-4e3c-47ae-826b-643261db28eb', 'carol', '2026-11-27 23:00:55.659+00'),
  ('206b7277-df2e-415e-9603-1b98df8baf35', '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a', '2026-11-27 23:01:41.923+00');

insert into account (account_id, user_id, opened_at) values
  ('fb5f9f90-06af-4958-841d-ce90010852dd', 'fb5f9f90-06af-4958-841d-ce90010852dd', '2026-11-27 23:00:55.658+00'),
  ('6d30372a-6f71-409d-9f27-b638a42d2b09', '6d30372a-6f71-409d-9f27-b638a42d2b09', '2026-11-27 23:00:55.659+00'),
  ('3e8a7a05-1a7b-4611-bcc4-a03bb41d67e8', 'fb5f9f90-06af-4958-841d-ce90010852dd', '2026-11-27 23:01:41.990362+00');

insert into api_key (public_key, user_id, label, sealed_secret, permissions, scope, created_at, revoked_at, allowed_addresses, builder_user_id, last_used_at, last_failed_at) values
  ('svc_test_pub_f515071507247f49611db8247ae28798', 'fb5f9f90-06af-4958-841d-ce90010852dd', 'alice', '\x01c712929fd10d1f6f2c4940bdf2aedfe49a13abb004799bdbd117ad8194127dd932f578a252e296206682711c0cc8c1e83854cf41861154a1ae93e4c46393d427362001a00927160bcfc0e3323aa327b52e3f5d648ca1a433e281976cbba07a0b9e6f05c1a6416c03b198ec0c', '{view_orders,view_positions,view_balance,execute_orders,subaccount_ops,deposit_withdraw}', 'all_accounts', '2026-11-27 23:00:56.748+00', NULL, '{}', NULL, '2026-11-27 23:04:04.887+00', NULL),
  ('svc_test_pub_6c64ee1ceaa9c8aaa34fff6e0194248b', 'cd32cd4f-4e3c-47ae-826b-643261db28eb', 'carol', '\x013246523c6098e7cf8c35c5c4948d08579fec0441a48d3c2fcea964d84f85d4fa95f95281d607695efc0957dfbe508a046c9712b9a7428e8e53eaa7e51680f5283688e30c8a2b29f8c3e1be06c9a49d725509d2fe8233c9637505c0bf29c6b336441eccf637abc515e0f18b5a', '{view_orders,view_positions,view_balance,execute_orders,subaccount_ops,deposit_withdraw,register_user}', 'all_accounts', '2026-11-27 23:00:56.841+00', '2026-11-27 23:03:12.742+00', '{}', NULL, NULL, NULL),
  ('svc_test_pub_fcf4607fc82c3bfc65c13518cb2ca755', 'fb5f9f90-06af-4958-841d-ce90010852dd', 'fixture', '\x01be481ef7d5571226872664549881126970924a41915968a68aec017c0ade65287b7cf3e3857415b451c5454013504082c3207dfd66743a7691ff1323ee78c78bc65fbd55c983db253b23f67ac3326e2a7a3362e1047b43ec2b0983a24320ad45e13a7eab8df71a958618bc9f', '{execute_orders}', 'all_accounts', '2026-11-27 23:03:12.564+00', NULL, '{192.0.2.0/24}', NULL, NULL, NULL);

insert into user_state (user_id, identity, identity_reference, identity_changed_at_millis, country, seen_in, terms_version, frozen) values
  ('206b7277-df2e-415e-9603-1b98df8baf35', 'verified', 'a4bd711d-8b4c-4c51-83cc-c7e1fb93fea6', 1795820502005, NULL, NULL, '1', false),
  ('fb5f9f90-06af-4958-841d-ce90010852dd', 'verified', NULL, 0, NULL, NULL, '1', false);

insert into profile (user_id, username, avatar_url, is_public, first_name, last_name) values
  ('cd32cd4f-4e3c-47ae-826b-643261db28eb', 'carol', NULL, false, NULL, NULL),
  ('fb5f9f90-06af-4958-841d-ce90010852dd', 'alice', NULL, true, NULL, NULL);

insert into builder_code (builder_code, user_id, venue_bps, builder_bps, active, created_at, updated_at) values
  ('07812d43-e464-48cd-96c9-59883fc0f730', 'cd32cd4f-4e3c-47ae-826b-643261db28eb', 7000, 3000, true, '2026-11-27 23:00:57.044+00', '2026-11-27 23:00:57.044+00');

insert into legal_acceptance (number, user_id, terms_version, agreement_url, source, address, message_hash, builder_code, accepted_at)
  overriding system value values
  (1, '206b7277-df2e-415e-9603-1b98df8baf35', '1', 'https://venue.example/legal/client-agreement', 'user', NULL, NULL, NULL, '2026-11-27 23:03:12.552+00');
select setval(pg_get_serial_sequence('legal_acceptance', 'number'), (select max(number) from legal_acceptance));

insert into invitation_code (code, user_id, number, created_at, held_for, redeemed_at) values
  ('JSWDNSS2RF', 'fb5f9f90-06af-4958-841d-ce90010852dd', 0, '2026-11-27 23:04:10.741+00', '206b7277-df2e-415e-9603-1b98df8baf35', '2026-11-27 23:04:10.767532+00'),
  ('PQYCX3HWBY', 'fb5f9f90-06af-4958-841d-ce90010852dd', 1, '2026-11-27 23:04:10.741+00', NULL, NULL);

insert into daily_fee (user_id, day, volume, base) values
  ('fb5f9f90-06af-4958-841d-ce90010852dd', 20784, 150598645510, 150598661);

insert into nonce (public_key, nonce, claimed_at) values
  ('svc_test_pub_050c63f1bc6c0effac7477b553578b56', '8f3b4471cab7608ba57c858e903b2551', '2026-11-27 23:00:58.436981+00');

insert into wallet_nonce_use (purpose, address, nonce_hash, expires_at) values
  ('signin', '0x2ab99cd93a7512a32e3b956abd3bab4c33dd6f4c', '\xef6b2dd4f82634ead2ed2c8d102ff29c9723bace2715f02b3c45953573720352', '2026-11-27 23:13:41.821+00');

insert into identity (subject, identity_id, user_id, address, network, domain, statement, created_at, updated_at, last_sign_in_at) values
  ('web3:ethereum:0x2ab99cd93a7512a32e3b956abd3bab4c33dd6f4c', 'd99f25bf-a5cd-43ea-914e-4d2811d1f780', 'fb5f9f90-06af-4958-841d-ce90010852dd', '0x2ab99cd93a7512a32e3b956abd3bab4c33dd6f4c', '42161', '127.0.0.1:46102', 'Sign in to Venue', '2026-11-27 23:00:55.895+00', '2026-11-27 23:04:04.759+00', '2026-11-27 23:04:04.759+00'),
  ('web3:ethereum:0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a', 'db98055c-abb9-4157-96c9-ce3113d46c32', '206b7277-df2e-415e-9603-1b98df8baf35', '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a', '42161', '127.0.0.1:46102', 'Sign in to Venue', '2026-11-27 23:01:41.922+00', '2026-11-27 23:04:04.808+00', '2026-11-27 23:04:04.808+00');

insert into session (session_id, user_id, client_id, public_client, scope, aal, amr, created_at, refreshed_at, expires_at, ended_at) values
  ('1e8b420c-0541-4f47-8cce-f24a6f31d11a', '206b7277-df2e-415e-9603-1b98df8baf35', NULL, false, NULL, 'aal1', '[{"method": "web3", "timestamp": 1795820501}]', '2026-11-27 23:01:41.925+00', '2026-11-27 23:01:41.925+00', '2027-02-25 23:01:41.924+00', '2026-11-27 23:01:42.457+00'),
  ('e1c32dde-698f-4b20-bf1c-1719eb20ba54', 'fb5f9f90-06af-4958-841d-ce90010852dd', 'e23e59ca-f989-4160-8235-7783f9746d38', false, 'openid profile', 'aal1', '[{"method": "oauth_provider/authorization_code", "timestamp": 1795820502}, {"method": "web3", "timestamp": 1795820501}]', '2026-11-27 23:01:42.443+00', '2026-11-27 23:01:42.443+00', '2027-02-25 23:01:42.443+00', NULL);

insert into refresh_token (token_hash, session_id, generation, salt, issued_at) values
  ('\x96810959855daf5724982b04f4ddf504cbeacc460245429601aef3c0f871a416', 'e1c32dde-698f-4b20-bf1c-1719eb20ba54', 1, '\x', '2026-11-27 23:01:42.443+00');

insert into factor (factor_id, user_id, friendly_name, sealed_secret, created_at, updated_at, verified_at, accepted_step) values
  ('dc16ffb5-1e2a-4d47-ba91-87dd67e2d2fd', '6d30372a-6f71-409d-9f27-b638a42d2b09', 'phone', '\x016da552e5f0458e1864b30de573b5bf21f9cf16a2869f11d9c0bc883a4c7961b12c120b86052fb7bedf3714afd9069948c7bf212a1e14588dff0a24c7', '2026-11-27 23:01:42.37+00', '2026-11-27 23:01:42.407+00', '2026-11-27 23:01:42.407+00', 59860683);

insert into factor_challenge (challenge_id, factor_id, session_id, expires_at, tries) values
  ('dfe8ff3d-a6c3-4a19-831e-7e03a54208d9', 'dc16ffb5-1e2a-4d47-ba91-87dd67e2d2fd', '46c6e15d-9c8f-415a-9134-897c1814fc0d', '2026-11-27 23:06:42.423+00', 0);

insert into factor_attempts (user_id, since_at, attempts) values
  ('6d30372a-6f71-409d-9f27-b638a42d2b09', '2026-11-27 23:01:42.392+00', 3);

insert into recovery_code (user_id, code_hash) values
  ('6d30372a-6f71-409d-9f27-b638a42d2b09', '\x11f377b24475dcd1dbd47beb3097dc55a9a3dbde377c1538723a5337622521be'),
  ('6d30372a-6f71-409d-9f27-b638a42d2b09', '\x1d35f220760ec68636b1b7104590e87fbc89897bf055dbdc00f94f2179f11b80');

insert into revocation (number, kind, subject, revoked_at, made_by)
  overriding system value values
  (13, 'session', '1e8b420c-0541-4f47-8cce-f24a6f31d11a', '2026-11-27 23:01:42.458318+00', '3'),
  (15, 'key', 'svc_test_pub_6c64ee1ceaa9c8aaa34fff6e0194248b', '2026-11-27 23:03:12.743495+00', '3');
select setval(pg_get_serial_sequence('revocation', 'number'), (select max(number) from revocation));

insert into signing_key (number, kid, state, since, sealed_jwk)
  overriding system value values
  (2, 'V_7kMKr85aPOlFW3uby1RYGE68T7Zelv-a_gDVFm9-g', 'active', '2026-11-27 23:00:55.252+00', '\x01e877706802e306449eda84fed39f6a8bd6450061f2f90641bf6ba27bbb3955185cf4e11f9e16f20efe7bc3ad5dc5177e54a1eb891e7d862a78f800496d0dcfab0099ae95d2ac1f804ee6abf47bf71f0c26072420f8b92074dbf0cc97c124fd6d803b7104e7d712b9556cc097828ee14d79a627d5f81b961abb10cdfbf3332737f1135b097c0b290e5172f6ebd64a4762d6966739c3d95065e5519d22f60e2bbb87576f6fac3a28565b3870580e488949ae15f18ef01d684f6fb83cdf104bd30044e63503fdae728d530bfe10'),
  (3, 'lBvndwFP18tkJyej-jl09TmyB-kYZcRKtfUOaUWhOdM', 'standby', '2026-11-27 23:01:41.958+00', '\x01ba898beed2d1253412f08824b4d4492492952ea051fbb2cd53a9e9c14950c04e9ceb576c47cccfcfd2d369f5526d6cd658114765e9d4e9627ef313008d6cf77f9a4dfe740f2cb49cfa8f4fbd8724525099c016f192bc6b5e53fccc44072be9a0483a77d4b89b906848514b1b596c92e2cb53b6c8d77c669a9284d256ac76b5b6eae87219551b4950ee3ae9c333f5ece0b1a3b843f58783ab924202950fa8e28fb4511052dabbf6b1b47a96367d721825f3f888b9f57b33e470c13c7eb39e13f1d842a775db1c409b11d1c6e9');
select setval(pg_get_serial_sequence('signing_key', 'number'), (select max(number) from signing_key));

insert into oauth_client (client_id, name, type, redirect_uris, logo_uri, client_uri, grant_types, secret_hash, older_secret_hash, created_at, disabled_at) values
  ('e23e59ca-f989-4160-8235-7783f9746d38', 'Example Service', 'confidential', '{https://app.example/callback}', NULL, NULL, '{authorization_code,refresh_token}', '8a3bf9210781387c2d110d159d8e2030ca86c505935c4bd7d5994f59f9e83e62', NULL, '2026-11-27 23:00:57.675+00', NULL),
  ('1f544429-954a-44b1-96a7-2c4d94e55358', 'Example App', 'public', '{https://app.example/callback,http://localhost:57423/callback}', NULL, NULL, '{authorization_code,refresh_token}', NULL, NULL, '2026-11-27 23:00:57.617+00', NULL);

insert into authorization_request (authorization_id_hash, client_id, redirect_uri, scope, state, code_challenge, nonce, resource, status, created_at, expires_at, user_id, aal, amr, code_hash, code_expires_at, consumed_at, session_id, max_age_seconds, prompts_consent) values
  ('9e4659338664f71f32e67d7c66981b525aaa9d358745321d3a682c9d317306dd', 'e23e59ca-f989-4160-8235-7783f9746d38', 'https://app.example/callback', 'openid profile', 's', 'anAkdI5G9LVpSx8S5kCqeYFxCdniQmqvXO8K9PKn9Ss', 'n', NULL, 'approved', '2026-11-27 23:01:42.427+00', '2026-11-27 23:11:42.427+00', 'fb5f9f90-06af-4958-841d-ce90010852dd', 'aal1', '[{"method": "web3", "timestamp": 1795820501}]', '5daeecb6084ee91208c2029f75fd8d2b35a5e80210332076ac724d4bb124622b', '2026-11-27 23:02:42.433+00', '2026-11-27 23:01:42.442+00', 'e1c32dde-698f-4b20-bf1c-1719eb20ba54', null, false);

insert into oauth_grant (user_id, client_id, scopes, granted_at) values
  ('fb5f9f90-06af-4958-841d-ce90010852dd', 'e23e59ca-f989-4160-8235-7783f9746d38', '{openid,profile}', '2026-11-27 23:01:42.434+00');

insert into deposit_address_count (network, count) values
  ('ARBITRUM_ONE', 1);

insert into deposit_address (network, index, user_id, address, created_at) values
  ('ARBITRUM_ONE', 0, 'fb5f9f90-06af-4958-841d-ce90010852dd', '0x3316a746F188497057B48a505eCd5e9C1B6421F2', '2026-11-27 23:01:42.027+00');

insert into deposit_message (user_id, rail, message, created_at) values
  ('fb5f9f90-06af-4958-841d-ce90010852dd', 'wire', 'R9EEHSM35S8G', '2026-11-27 23:03:12.595+00');

insert into bank_account (account_id, user_id, sealed_details, masked, holder_known, created_at, removed_at) values
  ('45f4764e-713c-42e1-8b0c-d7fdb38ae6ce', 'fb5f9f90-06af-4958-841d-ce90010852dd', '\x016ff4093d0172d2ddd8b5abe6fb9d3c11e0aed3d7a0760c109f73d8ebb476237adf515bc9c9b3754532d91c3a3a67eb085e2a4812f478594c82365bd3595c59f9aebebfed5bacb6038b47fd9a00015545748c75451340fa7b9782e0cee8c31419b388419755b641544c3b978179d9d008b72b35dded4f91b48c08ab1ce310c3dd0bde371b933f09935147fbd3a8a67fca83b37fa5c26ad2decba278841a5d3fdbd96e6b5a7c1aac603fb3a57b70742e38b9677bd0ef2b2a86eed4b9f7a8e4f48a37f91f7db02ef4bb9bd211c82c2b0fa9d58fe8d84991a0f65fe70a69f35198597337e2eee49dcd01c865414fb2749958231e20ea206fe46fd199bb0e88affe3dacba774bdd2bb3140149e689620806ce519ad5d379c1dd', '****6789', false, '2026-11-27 23:03:12.609+00', NULL);

insert into withdrawal_address (user_id, network, address, label, created_at, address_id, verified) values
  ('fb5f9f90-06af-4958-841d-ce90010852dd', 'ARBITRUM_ONE', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'my wallet', '2026-11-27 23:01:42.039+00', '3e8a7a05-1a7b-4611-b7be-97d9ae6f7f0a', false);

insert into withdrawal (withdrawal_id, user_id, rail, method, amount, fee, destination, reasons, state, step, version, created_at, updated_at, queued_at, ending, ended_by, reason, reference, sequence, attempts, refused_at, refusal, cancelled_by, cancel_reason) values
  ('ce2fb7f1-75a5-4318-9e0c-fdea352a39c0', 'fb5f9f90-06af-4958-841d-ce90010852dd', 'BANK', 'wire', 200000000, 25000000, '45f4764e-713c-42e1-8b0c-d7fdb38ae6ce', '{unverified-holder}', 'SETTLED', 5, 5, '2026-11-27 23:03:12.646+00', '2026-11-27 23:03:19.636+00', '2026-11-27 23:03:15.779+00', NULL, NULL, NULL, '63a7ea8257abe9b7d5c079905f77e71bafece2a8e6d1a3efe4aafb2dea963546', 0, 1, NULL, NULL, NULL, NULL);

insert into withdrawal_step (withdrawal_id, to_state, from_state, step, of_table, actor, at) values
  ('ce2fb7f1-75a5-4318-9e0c-fdea352a39c0', 'ACCEPTED', NULL, 1, 'withdrawal', 'fb5f9f90-06af-4958-841d-ce90010852dd', '2026-11-27 23:03:12.646+00'),
  ('ce2fb7f1-75a5-4318-9e0c-fdea352a39c0', 'HELD_FOR_REVIEW', 'ACCEPTED', 2, 'withdrawal', 'fb5f9f90-06af-4958-841d-ce90010852dd', '2026-11-27 23:03:12.646+00'),
  ('ce2fb7f1-75a5-4318-9e0c-fdea352a39c0', 'QUEUED', 'HELD_FOR_REVIEW', 3, 'withdrawal', 'treasurer', '2026-11-27 23:03:15.779+00'),
  ('ce2fb7f1-75a5-4318-9e0c-fdea352a39c0', 'SUBMITTED', 'QUEUED', 4, 'withdrawal', 'rail/BANK', '2026-11-27 23:03:16.56+00'),
  ('ce2fb7f1-75a5-4318-9e0c-fdea352a39c0', 'SETTLED', 'SUBMITTED', 5, 'withdrawal', 'rail/BANK', '2026-11-27 23:03:19.636+00');

insert into withdrawal_payment (withdrawal_id, attempt, purpose, reference, sealed_bytes, expires_at, signed_at) values
  ('ce2fb7f1-75a5-4318-9e0c-fdea352a39c0', 1, 'pay', '63a7ea8257abe9b7d5c079905f77e71bafece2a8e6d1a3efe4aafb2dea963546', '\x011e30021b62030f622b3ba9e283746f638277409d65268571b9f83038956901be2bf6a087015c799cbaa509ef7b5229164e5c2a97645a785aa1867061e9f7f574db2d2307f79595f1933ec571231d5dfab18cd3d01f08351a548c4bf6a964fe6a901a333683ec9e5b3fa475f8951ff3d7bf83c6c3257b8bc2676ca4d290', NULL, '2026-11-27 23:03:16.568+00');

insert into withdrawal_decision (withdrawal_id, operator, decision, reason, decided_at) values
  ('ce2fb7f1-75a5-4318-9e0c-fdea352a39c0', 'treasurer', 'approve', 'fixture', '2026-11-27 23:03:15.772+00');

insert into deposit (network, tx_hash, log_index, deposit_id, method, address, user_id, amount, block_number, block_hash, state, step, version, reason, detected_at, updated_at, checked_at, offered_at, credited_at, gone_since, is_returned, is_final, returned_at) values
  ('ARBITRUM_ONE', '386fb91cd04653a5004058f8b323219ad59e74afe32f4f772dd7dc772b5e0089', 0, 'ARBITRUM_ONE/386fb91cd04653a5004058f8b323219ad59e74afe32f4f772dd7dc772b5e0089/0', 'ARBITRUM_ONE', '0x3316a746F188497057B48a505eCd5e9C1B6421F2', 'fb5f9f90-06af-4958-841d-ce90010852dd', 250000000, 46, '33c15442d429ead18bee9a1fe69ed88c672046c4ab023f13a4ff9524aa98d0da', 'CREDITED', 3, 5, NULL, '2026-11-27 23:01:42.501+00', '2026-11-27 23:02:01.562+00', '2026-11-27 23:03:21.566+00', '2026-11-27 23:02:01.561+00', '2026-11-27 23:02:01.562+00', NULL, false, true, NULL),
  ('BANK', 'a9fbabc1510b8e6e112ce5e6185f0eac9e4a74a28abba4569350eceb4ef8b9fb', 0, 'BANK/a9fbabc1510b8e6e112ce5e6185f0eac9e4a74a28abba4569350eceb4ef8b9fb/0', 'wire', 'R9EEHSM35S8G', 'fb5f9f90-06af-4958-841d-ce90010852dd', 500000000, null, NULL, 'CREDITED', 3, 5, NULL, '2026-11-27 23:03:12.675+00', '2026-11-27 23:03:13.713+00', '2026-11-27 23:03:13.707+00', '2026-11-27 23:03:13.712+00', '2026-11-27 23:03:13.713+00', NULL, false, true, NULL);

insert into deposit_step (deposit_id, step, from_state, to_state, of_table, actor, at) values
  ('ARBITRUM_ONE/386fb91cd04653a5004058f8b323219ad59e74afe32f4f772dd7dc772b5e0089/0', 1, NULL, 'DETECTED', 'deposit', 'rail/ARBITRUM_ONE', '2026-11-27 23:01:42.501+00'),
  ('ARBITRUM_ONE/386fb91cd04653a5004058f8b323219ad59e74afe32f4f772dd7dc772b5e0089/0', 2, 'DETECTED', 'CONFIRMED', 'deposit', 'rail/ARBITRUM_ONE', '2026-11-27 23:02:01.556+00'),
  ('ARBITRUM_ONE/386fb91cd04653a5004058f8b323219ad59e74afe32f4f772dd7dc772b5e0089/0', 3, 'CONFIRMED', 'CREDITED', 'deposit', 'rail/ARBITRUM_ONE', '2026-11-27 23:02:01.562+00'),
  ('BANK/a9fbabc1510b8e6e112ce5e6185f0eac9e4a74a28abba4569350eceb4ef8b9fb/0', 1, NULL, 'DETECTED', 'deposit', 'rail/BANK', '2026-11-27 23:03:12.675+00'),
  ('BANK/a9fbabc1510b8e6e112ce5e6185f0eac9e4a74a28abba4569350eceb4ef8b9fb/0', 2, 'DETECTED', 'CONFIRMED', 'deposit', 'rail/BANK', '2026-11-27 23:03:13.71+00'),
  ('BANK/a9fbabc1510b8e6e112ce5e6185f0eac9e4a74a28abba4569350eceb4ef8b9fb/0', 3, 'CONFIRMED', 'CREDITED', 'deposit', 'rail/BANK', '2026-11-27 23:03:13.713+00');

insert into rail_state (rail, cursor, scanned_at, unavailable_since, cause) values
  ('ARBITRUM_ONE', '1', '2026-11-27 23:06:38.397+00', NULL, NULL),
  ('BANK', '1', '2026-11-27 23:06:38.385+00', NULL, NULL);

insert into treasury_flag (kind, subject, effect, reason, set_by, set_at) values
  ('user', '6d30372a-6f71-409d-9f27-b638a42d2b09', 'flagged', 'fixture', 'treasurer', '2026-11-27 23:01:41.952+00');

insert into rail_holding (rail, number, amount, position, block, as_of, left_ids, waiting_ids) values
  ('ARBITRUM_ONE', 12, -19848000000, 'block 335', 335, '2026-11-27 23:06:31.489+00', '{}', '{}'),
  ('BANK', 12, 325000000, 'entry 1', null, '2026-11-27 23:06:31.757+00', '{}', '{}');

insert into rail_audit (rail, number, amount, books, uncredited, position, as_of, times) values
  ('BANK', 12, 325000000, 1325000000, 0, 'entry 1', '2026-11-27 23:06:31.757+00', 7);

insert into simulated_rail (rail, state) values
  ('TRON', '{"foundedAtMillis":1795820456676,"forks":[],"transfers":[],"log":[],"payments":[],"nextFate":"pay","unreachableUntilMillis":0}');

insert into webhook (webhook_id, user_id, url, events, sealed_secret, created_at, failing_since, disabled_at, disabled_reason, taken_until) values
  ('3e8a7a05-1a7b-4611-aada-f318f2a74ed9', 'fb5f9f90-06af-4958-841d-ce90010852dd', 'https://example.com/venue', '{deposit.credited,deposit.reversed,withdrawal.accepted,withdrawal.queued,withdrawal.held_for_review,withdrawal.submitted,withdrawal.settled,withdrawal.rejected,withdrawal.failed}', '\x01731282fe894cd18d63e3752a71456a46e8a7beb30d99afd19c94d1584ff2b20d612a97e072957702438198fa1572992a00a7cf69a7d9714f978742f1788267ebb5bdd92c50ac0ed123ea7c33bb0d', '2026-11-27 23:01:42.021+00', '2026-11-27 23:01:43.466+00', NULL, NULL, NULL);

insert into webhook_message (message_id, user_id, event, subject_id, method, amount, fee, destination, tx_hash, created_at, credited_at, at) values
  ('msg_e055114f5884b8b4db29b6ca1f98fc4b', 'fb5f9f90-06af-4958-841d-ce90010852dd', 'withdrawal.accepted', '4d96c871-b6e0-4511-95a8-780917b635e2', 'ARBITRUM_ONE', 100000000, 1000000, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', NULL, '2026-11-27 23:01:42.468+00', NULL, '2026-11-27 23:01:42.468+00'),
  ('msg_a2559d85c7b7f0b6d624ac217b3bec0f', 'fb5f9f90-06af-4958-841d-ce90010852dd', 'withdrawal.queued', '4d96c871-b6e0-4511-95a8-780917b635e2', 'ARBITRUM_ONE', 100000000, 1000000, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', NULL, '2026-11-27 23:01:42.468+00', NULL, '2026-11-27 23:01:42.468+00');

insert into webhook_delivery (message_id, webhook_id, attempt, due_at, outcome, status, fault, ended_at) values
  ('msg_a2559d85c7b7f0b6d624ac217b3bec0f', '3e8a7a05-1a7b-4611-aada-f318f2a74ed9', 1, '2026-11-27 23:01:42.468+00', 'FAILED', null, 'the host has no public address', '2026-11-27 23:01:43.466+00'),
  ('msg_a2559d85c7b7f0b6d624ac217b3bec0f', '3e8a7a05-1a7b-4611-aada-f318f2a74ed9', 2, '2026-11-27 23:01:53.06+00', 'FAILED', null, 'the host has no public address', '2026-11-27 23:01:53.562+00'),
  ('msg_a2559d85c7b7f0b6d624ac217b3bec0f', '3e8a7a05-1a7b-4611-aada-f318f2a74ed9', 3, '2026-11-27 23:02:55.162+00', 'FAILED', null, 'the host has no public address', '2026-11-27 23:02:55.766+00');

delete from venue_mode;
insert into venue_mode (is_only, trading, withdrawals, reason, changed_by, changed_at, audited_at, fault, difference, public_reason) values
  (true, 'TRADING', 'BLOCKED', 'BANK holds 325000000 at entry 1, where the books say 1325000000 (in 1e-6 USD, -1000000000 off)', 'auditor', '2026-11-27 23:04:02.246+00', '2026-11-27 23:06:43.086+00', NULL, 'BANK holds 325000000 at entry 1, where the books say 1325000000 (in 1e-6 USD, -1000000000 off)', NULL);
