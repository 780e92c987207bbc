PRAGMA application_id = 1212437059; PRAGMA user_version = 1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('1 entities and events');
INSERT INTO grdb_migrations VALUES('2 deliveries');
INSERT INTO grdb_migrations VALUES('3 indexes of one value');
INSERT INTO grdb_migrations VALUES('4 clocks and unknown messages');
INSERT INTO grdb_migrations VALUES('5 pruned events');
INSERT INTO grdb_migrations VALUES('6 paused subscriptions');
INSERT INTO grdb_migrations VALUES('7 failures of attempts');
INSERT INTO grdb_migrations VALUES('8 corrected dead letters');
INSERT INTO grdb_migrations VALUES('9 replays in parts');
INSERT INTO grdb_migrations VALUES('10 unindexed documents');
CREATE TABLE entity_kind (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    schema_version INTEGER NOT NULL
) STRICT;
INSERT INTO entity_kind VALUES(1,'account',1);
CREATE TABLE entity (
    kind INTEGER NOT NULL REFERENCES entity_kind(id),
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    schema_version INTEGER NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (kind, key)
) STRICT;
INSERT INTO entity VALUES(1,'a',9,1,'{"count":9,"id":"a"}');
CREATE TABLE entity_index (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind INTEGER NOT NULL REFERENCES entity_kind(id),
    name TEXT NOT NULL,
    is_unique INTEGER NOT NULL, holds_one_value INTEGER NOT NULL DEFAULT 0,
    UNIQUE (kind, name)
) STRICT;
CREATE TABLE index_entry (
    index_id INTEGER NOT NULL REFERENCES entity_index(id),
    value ANY NOT NULL,
    key TEXT NOT NULL,
    PRIMARY KEY (index_id, value, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE event (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    stream_kind TEXT,
    stream_key TEXT,
    recorded_at INTEGER NOT NULL, -- milliseconds since 1970
    document TEXT NOT NULL
, origin TEXT) STRICT;
INSERT INTO event VALUES(1,'01a22196-1dd2-7000-a798-1496275ba62e','deposited',1,'account','a',1795859815890,'{"account":"a","number":1}',NULL);
INSERT INTO event VALUES(2,'01a22196-1dd5-7000-bb54-9ab2d2ca83f3','deposited',1,'account','a',1795859815893,'{"account":"a","number":2}',NULL);
INSERT INTO event VALUES(3,'01a22196-1dd6-7000-a655-33a6a7e18779','deposited',1,'account','a',1795859815894,'{"account":"a","number":3}',NULL);
INSERT INTO event VALUES(4,'01a22196-1dd7-7000-8295-9916a9c92808','deposited',1,'account','a',1795859815895,'{"account":"a","number":4}',NULL);
INSERT INTO event VALUES(5,'01a22196-1dd7-7001-8d73-d258da2c2738','deposited',1,'account','a',1795859815896,'{"account":"a","number":5}',NULL);
INSERT INTO event VALUES(6,'01a22196-1dd8-7000-ac82-785f93f9d87b','deposited',1,'account','a',1795859815896,'{"account":"a","number":6}',NULL);
INSERT INTO event VALUES(7,'01a22196-1dd9-7000-9347-870f49308d54','deposited',1,'account','a',1795859815897,'{"account":"a","number":7}',NULL);
INSERT INTO event VALUES(8,'01a22196-1dd9-7001-88c0-32eac30a25e3','deposited',1,'account','a',1795859815898,'{"account":"a","number":8}',NULL);
INSERT INTO event VALUES(9,'01a22196-1dda-7000-97c2-2a4bd9ee25f9','deposited',1,'account','a',1795859815898,'{"account":"a","number":9}',NULL);
CREATE TABLE subscription (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
, paused_at INTEGER, replay_after INTEGER, replay_until INTEGER, replay_names TEXT, replay_count INTEGER NOT NULL DEFAULT 0, replay_lane INTEGER) STRICT;
INSERT INTO subscription VALUES(1,'swallow',NULL,NULL,NULL,NULL,0,NULL);
CREATE TABLE lane (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    subscription INTEGER NOT NULL REFERENCES subscription(id),
    stream_kind TEXT,
    stream_key TEXT,
    ready_at INTEGER NOT NULL, -- when it may be leased; 0 as long as it was never leased
    token INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0, -- that count for the first delivery
    begun INTEGER NOT NULL DEFAULT 0 -- the position up to which deliveries were leased and not returned
, since INTEGER, unknown_name TEXT, unknown_version INTEGER, unknown_since INTEGER, last_failure TEXT, correction TEXT) STRICT;
INSERT INTO lane VALUES(1,1,'account','a',1795859816300,1,0,9,1795859815900,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE delivery (
    lane INTEGER NOT NULL REFERENCES lane(id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    is_replay INTEGER NOT NULL,
    PRIMARY KEY (lane, position)
) STRICT, WITHOUT ROWID;
INSERT INTO delivery VALUES(1,1,0);
INSERT INTO delivery VALUES(1,2,0);
INSERT INTO delivery VALUES(1,3,0);
INSERT INTO delivery VALUES(1,4,0);
INSERT INTO delivery VALUES(1,5,0);
INSERT INTO delivery VALUES(1,6,0);
INSERT INTO delivery VALUES(1,7,0);
INSERT INTO delivery VALUES(1,8,0);
INSERT INTO delivery VALUES(1,9,0);
CREATE TABLE scheduled_message (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    stream_kind TEXT,
    stream_key TEXT,
    due_at INTEGER NOT NULL,
    document TEXT NOT NULL,
    origin TEXT,
    lane INTEGER NOT NULL
) STRICT;
CREATE TABLE dead_letter (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    subscription INTEGER NOT NULL REFERENCES subscription(id),
    position INTEGER NOT NULL,
    is_replay INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    reason TEXT NOT NULL,
    date INTEGER NOT NULL
, correction TEXT) STRICT;
CREATE TABLE idempotency (
    key TEXT PRIMARY KEY,
    command TEXT NOT NULL,
    outcome TEXT NOT NULL,
    date INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE pruned_event (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    position INTEGER NOT NULL
) STRICT;
INSERT INTO pruned_event VALUES(1,0);
CREATE TABLE unindexed (
    index_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    PRIMARY KEY (index_id, key)
) STRICT, WITHOUT ROWID;
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('event',9);
INSERT INTO sqlite_sequence VALUES('lane',1);
CREATE UNIQUE INDEX lane_by_stream ON lane (subscription, stream_kind, stream_key);
CREATE INDEX lane_by_time ON lane (subscription, ready_at);
CREATE INDEX scheduled_message_by_id ON scheduled_message (id);
CREATE INDEX dead_letter_by_subscription ON dead_letter (subscription);
CREATE INDEX idempotency_by_date ON idempotency (date);
CREATE INDEX lane_by_unknown_name ON lane (subscription, unknown_name) WHERE unknown_name IS NOT NULL;
COMMIT;
