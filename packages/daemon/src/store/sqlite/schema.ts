import type { Step } from './migrations.ts';

/**
 * Event rows refer to sessions by a number instead of their id, to stay small. `rev` is the revision of a row's last
 * change; deleted rows are in `tombstones`. `data` of events is plain text or a zstd frame.
 */
const VERSION_1 = `
CREATE TABLE revision (rev INTEGER NOT NULL) STRICT;
INSERT INTO revision (rev) VALUES (0);

CREATE TABLE sessions (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  agent TEXT NOT NULL,
  mode TEXT,
  agent_session_id TEXT,
  title TEXT,
  summary TEXT,
  activity TEXT NOT NULL,
  activity_since INTEGER NOT NULL,
  is_terminated INTEGER NOT NULL,
  parked INTEGER NOT NULL,
  pinned INTEGER NOT NULL,
  cwd TEXT NOT NULL,
  workspace TEXT NOT NULL,
  model TEXT,
  approval_mode TEXT NOT NULL,
  options TEXT NOT NULL,
  env_names TEXT NOT NULL,
  trust_project INTEGER NOT NULL,
  launch INTEGER NOT NULL,
  launch_seq INTEGER NOT NULL,
  keeper_pid INTEGER,
  last_seq INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  usage TEXT,
  cost_usd REAL,
  cost_source TEXT,
  "limit" TEXT,
  error TEXT,
  status_text TEXT,
  forked_from TEXT,
  tags TEXT NOT NULL,
  metadata TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_active_at INTEGER NOT NULL,
  events INTEGER NOT NULL DEFAULT 0,
  rev INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_in_order ON sessions (pinned DESC, last_active_at DESC, id);
CREATE INDEX sessions_unfinished ON sessions (id) WHERE is_terminated = 0;
CREATE UNIQUE INDEX sessions_by_rev ON sessions (rev);

CREATE TABLE events (
  key INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES sessions (key),
  seq_from INTEGER NOT NULL,
  seq_to INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  chars INTEGER NOT NULL,
  level INTEGER NOT NULL,
  gaps TEXT,
  data ANY NOT NULL
) STRICT;
CREATE UNIQUE INDEX events_in_order ON events (session, seq_to);
CREATE INDEX events_to_merge ON events (session, seq_to) WHERE level < 2;

CREATE TABLE messages (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions (id),
  text TEXT NOT NULL,
  files TEXT NOT NULL,
  mode TEXT NOT NULL,
  state TEXT NOT NULL,
  error TEXT,
  by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  accepted_at INTEGER,
  ended_at INTEGER,
  rev INTEGER NOT NULL,
  UNIQUE (session_id, id)
) STRICT;
CREATE INDEX messages_queued ON messages (session_id) WHERE state = 'queued';
CREATE UNIQUE INDEX messages_by_rev ON messages (rev);

CREATE TABLE requests (
  id TEXT NOT NULL PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id),
  agent TEXT NOT NULL,
  launch INTEGER NOT NULL,
  agent_request_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  event TEXT NOT NULL,
  state TEXT NOT NULL,
  outcome TEXT,
  by TEXT,
  answer TEXT,
  snoozed_until INTEGER,
  created_at INTEGER NOT NULL,
  resolved_at INTEGER,
  rev INTEGER NOT NULL
) STRICT;
CREATE INDEX requests_in_order ON requests (created_at, id);
CREATE INDEX requests_of_session ON requests (session_id, created_at, id);
CREATE INDEX requests_by_state ON requests (state, created_at, id);
CREATE INDEX requests_open ON requests (session_id) WHERE state = 'open';
CREATE UNIQUE INDEX requests_by_rev ON requests (rev);

CREATE TABLE tombstones (
  rev INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  session_id TEXT NOT NULL,
  id TEXT NOT NULL,
  time INTEGER NOT NULL,
  UNIQUE (kind, session_id, id)
) STRICT;

CREATE TABLE usage (
  day TEXT NOT NULL,
  agent TEXT NOT NULL,
  model TEXT NOT NULL,
  project TEXT NOT NULL,
  session_id TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_creation_tokens INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  estimated_usd REAL NOT NULL,
  unpriced_calls INTEGER NOT NULL,
  PRIMARY KEY (day, agent, model, project, session_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_of_session ON usage (session_id);

CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  timestamp INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  session_id TEXT,
  detail TEXT NOT NULL
) STRICT;
CREATE INDEX audit_of_session ON audit (session_id, id);

CREATE TABLE records (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
`;

/** Unmanaged sessions. What hooks and agents report about a session is in its metadata. */
const UNMANAGED_SESSIONS = `
ALTER TABLE sessions ADD COLUMN origin TEXT NOT NULL DEFAULT 'daemon';
UPDATE sessions SET metadata =
  json_patch(metadata, json_object('agentSessionId', agent_session_id, 'title', title, 'summary', summary));
CREATE INDEX sessions_by_native_id ON sessions (agent_session_id, agent) WHERE agent_session_id IS NOT NULL;
CREATE INDEX records_by_age ON records (kind, updated_at);
`;

/** Limits and budgets. Existing limits become paused, to be decided by the user. */
const LIMITS_AND_BUDGETS = `
ALTER TABLE sessions ADD COLUMN waiting_for TEXT;
ALTER TABLE sessions ADD COLUMN on_limit TEXT NOT NULL DEFAULT 'pause';
ALTER TABLE sessions ADD COLUMN budget TEXT;
ALTER TABLE sessions ADD COLUMN account TEXT;
UPDATE sessions SET "limit" = json_set("limit", '$.id', 'before', '$.kind', 'usage', '$.since', activity_since,
  '$.messageId', NULL, '$.hadOutput', json('true'), '$.state', 'paused', '$.reason', NULL, '$.continuesAt', NULL)
  WHERE "limit" IS NOT NULL;
`;

/** Dismissals, which apply to every browser. */
const DISMISSALS = `
ALTER TABLE sessions ADD COLUMN dismissed INTEGER;
`;

export const STEPS: readonly Step[] = [
  { to: 1, migrate: (db) => db.exec(VERSION_1) },
  { to: 2, migrate: (db) => db.exec(UNMANAGED_SESSIONS) },
  { to: 3, migrate: (db) => db.exec(LIMITS_AND_BUDGETS) },
  { to: 4, migrate: (db) => db.exec(DISMISSALS) },
];
