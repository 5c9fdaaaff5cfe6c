-- What goose 1.34.0 wrote: its schema, and the rows of four of its sessions.
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL DEFAULT '',
  description TEXT NOT NULL DEFAULT '',
  user_set_name BOOLEAN DEFAULT FALSE,
  session_type TEXT NOT NULL DEFAULT 'user',
  working_dir TEXT NOT NULL,
  created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  extension_data TEXT DEFAULT '{}',
  total_tokens INTEGER,
  input_tokens INTEGER,
  output_tokens INTEGER,
  accumulated_total_tokens INTEGER,
  accumulated_input_tokens INTEGER,
  accumulated_output_tokens INTEGER,
  accumulated_cost REAL,
  schedule_id TEXT,
  recipe_json TEXT,
  user_recipe_values_json TEXT,
  provider_name TEXT,
  model_config_json TEXT,
  goose_mode TEXT NOT NULL DEFAULT 'auto',
  archived_at TIMESTAMP,
  project_id TEXT
);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id TEXT,
  session_id TEXT NOT NULL REFERENCES sessions(id),
  role TEXT NOT NULL,
  content_json TEXT NOT NULL,
  created_timestamp INTEGER NOT NULL,
  timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  tokens INTEGER,
  metadata_json TEXT
);
INSERT INTO sessions VALUES ('20261116_2', 'Calling a tool.', '', 0, 'user', '/workspace', '2026-11-16 05:12:57', '2026-11-16 05:13:07', '{}', 1234, 1200, 34, 3702, 3600, 102, 0.010020000000000001, NULL, NULL, NULL, 'openai', '{"model_name":"gpt-4o","context_limit":128000,"temperature":null,"max_tokens":16384,"toolshim":false,"toolshim_model":null,"reasoning":false}', 'auto', NULL, NULL);
INSERT INTO sessions VALUES ('20261116_3', 'PONG: Generate a short title for the above messages.', '', 0, 'hidden', '/workspace', '2026-11-16 05:14:14', '2026-11-16 05:14:16', '{}', 1234, 1200, 34, 1234, 1200, 34, 0.00334, NULL, NULL, NULL, 'openai', '{"model_name":"gpt-4o","context_limit":128000,"temperature":null,"max_tokens":16384,"toolshim":false,"toolshim_model":null,"reasoning":false}', 'auto', NULL, NULL);
INSERT INTO sessions VALUES ('20261116_5', 'PONG: Generate a short title for the above messages.', '', 0, 'acp', '/workspace', '2026-11-16 05:14:37', '2026-11-16 05:14:37', '{}', 1234, 1200, 34, 1234, 1200, 34, 0.00334, NULL, NULL, NULL, 'openai', '{"model_name":"gpt-4o","context_limit":128000,"temperature":null,"max_tokens":16384,"toolshim":false,"toolshim_model":null,"reasoning":false}', 'auto', NULL, NULL);
INSERT INTO sessions VALUES ('20261116_9', 'PONG: Generate a short title for the above messages.', '', 0, 'user', '/workspace', '2026-11-16 05:15:47', '2026-11-16 05:16:12', '{}', 1234, 1200, 34, 3702, 3600, 102, NULL, NULL, NULL, NULL, 'openai', '{"model_name":"scripted-model","context_limit":null,"temperature":null,"max_tokens":null,"toolshim":false,"toolshim_model":null}', 'auto', NULL, NULL);
INSERT INTO messages VALUES (3, 'msg_20261116_2_b5c06c05-95a1-49c5-9cc5-884c3a4955a6', '20261116_2', 'user', '[{"type":"text","text":"[[think hmm let me see]] [[tool shell {\"command\":\"echo hi; exit 3\"}]]\n"}]', 1794805977, '2026-11-16 05:12:57', NULL, '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages VALUES (4, 'chatcmpl-1', '20261116_2', 'assistant', '[{"type":"thinking","thinking":"hmm let me see","signature":""},{"type":"text","text":"Calling a tool. "}]', 1794805977, '2026-11-16 05:12:57', NULL, '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages VALUES (5, 'msg_5739b938-1fdd-468f-be72-5a040697e851', '20261116_2', 'assistant', '[{"type":"toolRequest","id":"call_1","toolCall":{"status":"success","value":{"name":"shell","arguments":{"command":"echo hi; exit 3"}}},"_meta":{"goose_extension":"developer"}}]', 1794805977, '2026-11-16 05:12:57', NULL, '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages VALUES (6, 'msg_fca417c6-eba0-468c-86bc-ae6e2ec6eb77', '20261116_2', 'user', '[{"type":"toolResponse","id":"call_1","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"hi\n\nCommand exited with code 3","annotations":{"priority":0.0}}],"structuredContent":{"stdout":"hi","stderr":"","exit_code":3},"isError":true}}}]', 1794805977, '2026-11-16 05:12:57', NULL, '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages VALUES (7, 'chatcmpl-3', '20261116_2', 'assistant', '[{"type":"text","text":"TOOL RESULT: hi\n\nCommand exited with code 3"}]', 1794805977, '2026-11-16 05:12:57', NULL, '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages VALUES (8, 'msg_20261116_2_b50d4dc7-035b-4431-af8e-bce21558608a', '20261116_2', 'user', '[{"type":"text","text":"second turn\n"}]', 1794805987, '2026-11-16 05:13:07', NULL, '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages VALUES (9, 'chatcmpl-2', '20261116_2', 'assistant', '[{"type":"text","text":"PONG: second turn"}]', 1794805987, '2026-11-16 05:13:07', NULL, '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages VALUES (15, 'msg_20261116_4_ac02bbac-d544-4d92-a7f1-d87e25ae711c', '20261116_5', 'user', '[{"type":"text","text":"over acp please"}]', 1794806076, '2026-11-16 05:14:37', NULL, '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages VALUES (16, 'chatcmpl-3', '20261116_5', 'assistant', '[{"type":"text","text":"PONG: over acp please"}]', 1794806077, '2026-11-16 05:14:37', NULL, '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages VALUES (17, 'msg_20261116_5_76860ab3-c583-46aa-b664-80b3bdc1da0b', '20261116_5', 'user', '[{"type":"text","text":"after the fork"}]', 1794806077, '2026-11-16 05:14:37', NULL, '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages VALUES (18, 'chatcmpl-5', '20261116_5', 'assistant', '[{"type":"text","text":"PONG: after the fork"}]', 1794806077, '2026-11-16 05:14:37', NULL, '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages VALUES (45, 'msg_20261116_9_0e6a0a2d-6ab5-4a81-a117-237388ae17be', '20261116_9', 'user', '[{"type":"text","text":"hi there\n"}]', 1794806148, '2026-11-16 05:16:12', NULL, '{"userVisible":true,"agentVisible":false}');
INSERT INTO messages VALUES (46, 'chatcmpl-2', '20261116_9', 'assistant', '[{"type":"text","text":"PONG: hi there"}]', 1794806149, '2026-11-16 05:16:12', NULL, '{"userVisible":true,"agentVisible":false}');
INSERT INTO messages VALUES (47, 'msg_20261116_9_f10a4531-ad26-4880-81d9-8d9af2834134', '20261116_9', 'user', '[{"type":"text","text":"[[tool shell {\"command\":\"echo 1\"}]]\n"}]', 1794806172, '2026-11-16 05:16:12', NULL, '{"userVisible":false,"agentVisible":false}');
INSERT INTO messages VALUES (48, 'chatcmpl-1', '20261116_9', 'user', '[{"type":"text","text":"PONG: Please summarize the conversation history provided in the system prompt."}]', 1794806172, '2026-11-16 05:16:12', NULL, '{"userVisible":false,"agentVisible":true}');
INSERT INTO messages VALUES (49, 'msg_20261116_9_ab917f55-c852-4528-92d8-0cf3332a5745', '20261116_9', 'assistant', '[{"type":"text","text":"Your context was compacted."}]', 1794806172, '2026-11-16 05:16:12', NULL, '{"userVisible":false,"agentVisible":true}');
INSERT INTO messages VALUES (50, 'msg_20261116_9_af8a9c1d-9492-456d-ab55-406d83ac5b20', '20261116_9', 'user', '[{"type":"text","text":"[[tool shell {\"command\":\"echo 1\"}]]\n"}]', 1794806172, '2026-11-16 05:16:12', NULL, '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages VALUES (51, 'chatcmpl-2', '20261116_9', 'assistant', '[{"type":"text","text":"Calling a tool. "}]', 1794806172, '2026-11-16 05:16:12', NULL, '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages VALUES (52, 'msg_d60bf87c-1960-421d-ad13-2c8ce522f9ba', '20261116_9', 'assistant', '[{"type":"toolRequest","id":"call_2","toolCall":{"status":"success","value":{"name":"shell","arguments":{"command":"echo 1"}}},"_meta":{"goose_extension":"developer"}}]', 1794806172, '2026-11-16 05:16:12', NULL, '{"userVisible":true,"agentVisible":true}');
INSERT INTO messages VALUES (53, 'msg_6e177cb1-cea7-45ab-9688-d258a1af274d', '20261116_9', 'user', '[{"type":"toolResponse","id":"call_2","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"1","annotations":{"priority":0.0}}],"structuredContent":{"stdout":"1","stderr":"","exit_code":0},"isError":false}}}]', 1794806172, '2026-11-16 05:16:12', NULL, '{"userVisible":true,"agentVisible":true}');
