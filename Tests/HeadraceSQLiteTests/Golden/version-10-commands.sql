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
INSERT INTO entity_kind VALUES(1,'shop',1);
INSERT INTO entity_kind VALUES(2,'till',1);
CREATE TABLE entity (
    kind INTEGER NOT NULL REFERENCES entity_kind(id),
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    schema_version INTEGER NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (kind, key)
) STRICT;
INSERT INTO entity VALUES(1,'0',2,1,'{"count":2,"id":"0"}');
INSERT INTO entity VALUES(1,'1',2,1,'{"count":2,"id":"1"}');
INSERT INTO entity VALUES(1,'3',2,1,'{"count":2,"id":"3"}');
INSERT INTO entity VALUES(1,'4',2,1,'{"count":2,"id":"4"}');
INSERT INTO entity VALUES(1,'5',2,1,'{"count":2,"id":"5"}');
INSERT INTO entity VALUES(1,'6',2,1,'{"count":2,"id":"6"}');
INSERT INTO entity VALUES(1,'7',2,1,'{"count":2,"id":"7"}');
INSERT INTO entity VALUES(1,'2',2,1,'{"count":2,"id":"2"}');
INSERT INTO entity VALUES(2,'0',1,1,'{"id":"0","mistakes":[],"numbers":[1]}');
INSERT INTO entity VALUES(2,'1',1,1,'{"id":"1","mistakes":[],"numbers":[1]}');
INSERT INTO entity VALUES(2,'3',1,1,'{"id":"3","mistakes":[],"numbers":[1]}');
INSERT INTO entity VALUES(2,'4',1,1,'{"id":"4","mistakes":[],"numbers":[1]}');
INSERT INTO entity VALUES(2,'5',1,1,'{"id":"5","mistakes":[],"numbers":[1]}');
INSERT INTO entity VALUES(2,'6',1,1,'{"id":"6","mistakes":[],"numbers":[1]}');
INSERT INTO entity VALUES(2,'7',1,1,'{"id":"7","mistakes":[],"numbers":[1]}');
INSERT INTO entity VALUES(2,'2',1,1,'{"id":"2","mistakes":[],"numbers":[1]}');
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
INSERT INTO event VALUES(1,'01a22196-1e0c-7000-b9f1-094e7e9839c2','collected',1,NULL,NULL,1795859815949,'{"number":1,"shop":"0","total":1}','{"causationID":"01A22196-1E05-7000-AE4F-244047531E7E","correlationID":"01A22196-1E05-7000-AE4F-244047531E7E","trace":{}}');
INSERT INTO event VALUES(2,'01a22196-1e0d-7000-bdd7-18b01ee125d8','collected',1,NULL,NULL,1795859815949,'{"number":1,"shop":"1","total":1}','{"causationID":"01A22196-1E06-7000-9CB6-3B50AAE0CE0E","correlationID":"01A22196-1E06-7000-9CB6-3B50AAE0CE0E","trace":{}}');
INSERT INTO event VALUES(3,'01a22196-1e0d-7001-8ecf-d22ac17baf5f','collected',1,NULL,NULL,1795859815949,'{"number":1,"shop":"3","total":1}','{"causationID":"01A22196-1E06-7001-9398-263E13A60481","correlationID":"01A22196-1E06-7001-9398-263E13A60481","trace":{}}');
INSERT INTO event VALUES(4,'01a22196-1e0d-7002-8ef2-9293effd6832','collected',1,NULL,NULL,1795859815950,'{"number":1,"shop":"4","total":1}','{"causationID":"01A22196-1E07-7000-9A58-1AB283750BED","correlationID":"01A22196-1E07-7000-9A58-1AB283750BED","trace":{}}');
INSERT INTO event VALUES(5,'01a22196-1e0d-7003-9b7b-8d223ba2e977','collected',1,NULL,NULL,1795859815950,'{"number":1,"shop":"5","total":1}','{"causationID":"01A22196-1E07-7001-BE99-77E3EB0504EC","correlationID":"01A22196-1E07-7001-BE99-77E3EB0504EC","trace":{}}');
INSERT INTO event VALUES(6,'01a22196-1e0e-7000-8570-6b001c230cfa','collected',1,NULL,NULL,1795859815950,'{"number":1,"shop":"6","total":1}','{"causationID":"01A22196-1E07-7002-A2A9-AB078DAB358D","correlationID":"01A22196-1E07-7002-A2A9-AB078DAB358D","trace":{}}');
INSERT INTO event VALUES(7,'01a22196-1e0e-7001-9b22-eeaede889499','collected',1,NULL,NULL,1795859815950,'{"number":1,"shop":"7","total":1}','{"causationID":"01A22196-1E07-7003-94CC-D2244C829AED","correlationID":"01A22196-1E07-7003-94CC-D2244C829AED","trace":{}}');
INSERT INTO event VALUES(8,'01a22196-1e0e-7002-b3fb-0c4ab0ee5989','collected',1,NULL,NULL,1795859815951,'{"number":1,"shop":"2","total":1}','{"causationID":"01A22196-1E07-7004-8E1A-F8485AC34009","correlationID":"01A22196-1E07-7004-8E1A-F8485AC34009","trace":{}}');
CREATE TABLE subscription (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
, paused_at INTEGER, replay_after INTEGER, replay_until INTEGER, replay_names TEXT, replay_count INTEGER NOT NULL DEFAULT 0, replay_lane INTEGER) STRICT;
INSERT INTO subscription VALUES(1,'headrace.scheduled',NULL,NULL,NULL,NULL,0,NULL);
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
INSERT INTO lane VALUES(9,1,NULL,NULL,1795859816345,1,0,0,1795859815945,NULL,NULL,NULL,NULL,NULL);
INSERT INTO lane VALUES(10,1,NULL,NULL,1795859816352,1,0,0,1795859815952,NULL,NULL,NULL,NULL,NULL);
INSERT INTO lane VALUES(11,1,NULL,NULL,1795859816352,1,0,0,1795859815952,NULL,NULL,NULL,NULL,NULL);
INSERT INTO lane VALUES(12,1,NULL,NULL,1795859816352,1,0,0,1795859815952,NULL,NULL,NULL,NULL,NULL);
INSERT INTO lane VALUES(13,1,NULL,NULL,1795859816352,1,0,0,1795859815952,NULL,NULL,NULL,NULL,NULL);
INSERT INTO lane VALUES(14,1,NULL,NULL,1795859816352,1,0,0,1795859815952,NULL,NULL,NULL,NULL,NULL);
INSERT INTO lane VALUES(15,1,NULL,NULL,1795859816352,1,0,0,1795859815952,NULL,NULL,NULL,NULL,NULL);
INSERT INTO lane VALUES(16,1,NULL,NULL,1795859816352,1,0,0,1795859815952,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE delivery (
    lane INTEGER NOT NULL REFERENCES lane(id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    is_replay INTEGER NOT NULL,
    PRIMARY KEY (lane, position)
) STRICT, WITHOUT ROWID;
INSERT INTO delivery VALUES(9,-9,0);
INSERT INTO delivery VALUES(10,-10,0);
INSERT INTO delivery VALUES(11,-11,0);
INSERT INTO delivery VALUES(12,-12,0);
INSERT INTO delivery VALUES(13,-13,0);
INSERT INTO delivery VALUES(14,-14,0);
INSERT INTO delivery VALUES(15,-15,0);
INSERT INTO delivery VALUES(16,-16,0);
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
INSERT INTO scheduled_message VALUES(9,'01a22196-1e08-7000-9a28-5e32d8fd7013','command','collect',1,NULL,NULL,1795859815944,'{"number":2,"shop":"0"}',NULL,9);
INSERT INTO scheduled_message VALUES(10,'01a22196-1e0a-7000-9416-4ca1a6186311','command','collect',1,NULL,NULL,1795859815946,'{"number":2,"shop":"1"}',NULL,10);
INSERT INTO scheduled_message VALUES(11,'01a22196-1e0a-7001-ac17-e793e183eff6','command','collect',1,NULL,NULL,1795859815946,'{"number":2,"shop":"4"}',NULL,11);
INSERT INTO scheduled_message VALUES(12,'01a22196-1e0a-7002-b6c5-af1d132ede1f','command','collect',1,NULL,NULL,1795859815946,'{"number":2,"shop":"5"}',NULL,12);
INSERT INTO scheduled_message VALUES(13,'01a22196-1e0a-7003-ab1e-1404436a46b9','command','collect',1,NULL,NULL,1795859815946,'{"number":2,"shop":"6"}',NULL,13);
INSERT INTO scheduled_message VALUES(14,'01a22196-1e0b-7000-b9d1-15df88bf83cd','command','collect',1,NULL,NULL,1795859815947,'{"number":2,"shop":"7"}',NULL,14);
INSERT INTO scheduled_message VALUES(15,'01a22196-1e0b-7001-aa05-c41f29894381','command','collect',1,NULL,NULL,1795859815947,'{"number":2,"shop":"2"}',NULL,15);
INSERT INTO scheduled_message VALUES(16,'01a22196-1e0b-7002-87b7-36c44d7d5fba','command','collect',1,NULL,NULL,1795859815947,'{"number":2,"shop":"3"}',NULL,16);
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
INSERT INTO sqlite_sequence VALUES('lane',16);
INSERT INTO sqlite_sequence VALUES('scheduled_message',16);
INSERT INTO sqlite_sequence VALUES('event',8);
CREATE UNIQUE INDEX lane_by_stream ON lane (subscription, stream_kind, stream_key);
CREATE INDEX lane_by_time ON lane (subscription, ready_at);
CREATE INDEX scheduled_message_by_id ON scheduled_message (id);
CREATE INDEX dead_letter_by_subscription ON dead_letter (subscription);
CREATE INDEX idempotency_by_date ON idempotency (date);
CREATE INDEX lane_by_unknown_name ON lane (subscription, unknown_name) WHERE unknown_name IS NOT NULL;
COMMIT;
