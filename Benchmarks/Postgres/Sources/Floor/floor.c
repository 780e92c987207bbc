// SPDX-License-Identifier: Apache-2.0

#include "floor.h"

#include <libpq-fe.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { entity_count = 10000, largest_batch = 1024, document_size = 200 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// Returns 0 if the result is a success, and clears it.
static int check(PGconn *connection, PGresult *result) {
    ExecStatusType status = PQresultStatus(result);
    PQclear(result);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return 0;
    fprintf(stderr, "floor: %s", PQerrorMessage(connection));
    return -1;
}

static int execute(PGconn *connection, const char *sql) {
    return check(connection, PQexec(connection, sql));
}

static PGconn *open_connection(const char *url) {
    PGconn *connection = PQconnectdb(url);
    if (PQstatus(connection) != CONNECTION_OK || execute(connection, "SET search_path = floor") != 0) {
        fprintf(stderr, "floor: %s", PQerrorMessage(connection));
        PQfinish(connection);
        return NULL;
    }
    return connection;
}

int floor_prepare(const char *url) {
    PGconn *connection = PQconnectdb(url);
    int status = execute(connection,
        "DROP SCHEMA IF EXISTS floor CASCADE; CREATE SCHEMA floor; SET search_path = floor;"
        "CREATE TABLE entity (key bytea PRIMARY KEY, version bigint NOT NULL, document text NOT NULL) WITH (fillfactor = 80);"
        "CREATE TABLE purchase (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, document text NOT NULL);"
        "CREATE SEQUENCE event_position;"
        "CREATE TABLE event (position bigint PRIMARY KEY DEFAULT nextval('event_position'), key bytea NOT NULL,"
        "  document text NOT NULL);"
        "CREATE TABLE lane (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, subscription bigint NOT NULL,"
        "  key bytea NOT NULL, ready_at bigint NOT NULL, token bigint NOT NULL DEFAULT 0, UNIQUE (subscription, key))"
        "  WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);"
        "CREATE INDEX lane_by_time ON lane (subscription, ready_at, id);"
        "CREATE TABLE delivery (lane bigint, position bigint, is_replay boolean NOT NULL, PRIMARY KEY (lane, position))"
        "  WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);"
        "INSERT INTO entity SELECT convert_to(lpad(n::text, 8, '0'), 'UTF8'), 1, repeat('d', 200)"
        "  FROM generate_series(0, 9999) n;");
    PQfinish(connection);
    return status;
}

static char *put(char *place, int32_t number) {
    uint32_t bits = (uint32_t)number;
    char bytes[4] = {(char)(bits >> 24), (char)(bits >> 16), (char)(bits >> 8), (char)bits};
    memcpy(place, bytes, 4);
    return place + 4;
}

// Begins an array of one dimension in the binary format.
static char *begin_array(char *place, int32_t type, int count) {
    place = put(place, 1);
    place = put(place, 0);
    place = put(place, type);
    place = put(place, count);
    return put(place, 1);
}

static char *put_item(char *place, const char *bytes, int length) {
    place = put(place, length);
    memcpy(place, bytes, (size_t)length);
    return place + length;
}

double floor_batches(const char *url, double seconds, int size) {
    if (size < 1 || size > largest_batch) return -1;
    PGconn *connection = open_connection(url);
    if (!connection) return -1;
    // bytea[] and text[].
    const Oid types[2] = {1001, 1009};
    const char *sql =
        "WITH u AS MATERIALIZED (SELECT * FROM unnest($1::bytea[], $2::text[]) u (key, document)),"
        "  written AS (UPDATE entity SET version = version + 1, document = u.document FROM u WHERE entity.key = u.key),"
        "  logged AS (INSERT INTO event (key, document) SELECT key, document FROM u RETURNING position, key),"
        "  placed AS (INSERT INTO lane (subscription, key, ready_at) SELECT 1, key, 0 FROM u"
        "    ON CONFLICT (subscription, key) DO UPDATE SET token = lane.token RETURNING id, key)"
        "INSERT INTO delivery SELECT placed.id, logged.position, false FROM logged JOIN placed USING (key)";
    int status = check(connection, PQprepare(connection, "batch", sql, 2, types));
    char *keys = malloc((size_t)largest_batch * 16 + 32);
    char *documents = malloc((size_t)largest_batch * (document_size + 4) + 32);
    char document[document_size];
    memset(document, 'e', document_size);
    long count = 0;
    double start = now();
    while (status == 0 && keys && documents && now() - start < seconds) {
        char *key_end = begin_array(keys, 17, size);
        char *document_end = begin_array(documents, 25, size);
        for (int unit = 0; unit < size; unit++) {
            char key[16];
            snprintf(key, sizeof key, "%08ld", (count + unit) % entity_count);
            key_end = put_item(key_end, key, 8);
            document_end = put_item(document_end, document, document_size);
        }
        const char *values[2] = {keys, documents};
        const int lengths[2] = {(int)(key_end - keys), (int)(document_end - documents)};
        const int formats[2] = {1, 1};
        status = check(connection, PQexecPrepared(connection, "batch", 2, values, lengths, formats, 1));
        count += size;
    }
    double taken = now() - start;
    free(keys);
    free(documents);
    PQfinish(connection);
    return status == 0 ? (double)count / taken : -1;
}

int floor_commits(const char *url, int count, double *milliseconds) {
    PGconn *connection = open_connection(url);
    if (!connection) return -1;
    char document[document_size + 1];
    memset(document, 'e', document_size);
    document[document_size] = 0;
    const char *values[1] = {document};
    int status = check(connection,
        PQprepare(connection, "one", "INSERT INTO event (key, document) VALUES ('\\x00', $1::text)", 1, NULL));
    for (int number = 0; status == 0 && number < count; number++) {
        double start = now();
        status = check(connection, PQexecPrepared(connection, "one", 1, values, NULL, NULL, 1));
        milliseconds[number] = (now() - start) * 1000;
    }
    PQfinish(connection);
    return status;
}

int floor_fill(const char *url, long count) {
    PGconn *connection = open_connection(url);
    if (!connection) return -1;
    char sql[1024];
    snprintf(sql, sizeof sql,
        "TRUNCATE event, lane, delivery;"
        "WITH u AS MATERIALIZED (SELECT convert_to(n::text, 'UTF8') AS key FROM generate_series(1, %ld) n),"
        "  logged AS (INSERT INTO event (key, document) SELECT key, repeat('e', 200) FROM u RETURNING position, key),"
        "  placed AS (INSERT INTO lane (subscription, key, ready_at) SELECT 1, key, 0 FROM u RETURNING id, key)"
        "INSERT INTO delivery SELECT placed.id, logged.position, false FROM logged JOIN placed USING (key);",
        count);
    int status = execute(connection, sql);
    if (status == 0) status = execute(connection, "ANALYZE lane");
    if (status == 0) status = execute(connection, "ANALYZE delivery");
    PQfinish(connection);
    return status;
}

struct worker {
    const char *url;
    int size;
    long count;
    int status;
};

static void *work(void *argument) {
    struct worker *worker = argument;
    PGconn *connection = open_connection(worker->url);
    worker->status = -1;
    if (!connection) return NULL;
    const char *lease =
        "WITH due AS MATERIALIZED (SELECT id FROM lane WHERE subscription = 1 AND ready_at <= 1 ORDER BY ready_at, id"
        "    LIMIT $1::bigint FOR UPDATE SKIP LOCKED),"
        "  leased AS (UPDATE lane SET token = token + 1, ready_at = 5 FROM due WHERE lane.id = due.id"
        "    RETURNING lane.id, token)"
        "SELECT leased.id, leased.token, d.position, event.document FROM leased"
        "  CROSS JOIN LATERAL (SELECT position FROM delivery WHERE lane = leased.id ORDER BY position LIMIT 1) d"
        "  JOIN event USING (position)";
    const char *settle =
        "WITH s AS MATERIALIZED (SELECT lane.id FROM unnest($1::bigint[], $2::bigint[]) s (id, token)"
        "    JOIN lane ON lane.id = s.id AND lane.token = s.token ORDER BY lane.id FOR UPDATE OF lane),"
        "  gone AS (DELETE FROM delivery USING s WHERE delivery.lane = s.id)"
        "DELETE FROM lane USING s WHERE lane.id = s.id";
    int status = execute(connection, "SET synchronous_commit = off");
    if (status == 0) status = check(connection, PQprepare(connection, "lease", lease, 1, NULL));
    if (status == 0) status = check(connection, PQprepare(connection, "settle", settle, 2, NULL));
    char limit[16];
    snprintf(limit, sizeof limit, "%d", worker->size);
    char *ids = malloc((size_t)worker->size * 24 + 8);
    char *tokens = malloc((size_t)worker->size * 24 + 8);
    while (status == 0 && ids && tokens) {
        const char *limits[1] = {limit};
        PGresult *rows = PQexecPrepared(connection, "lease", 1, limits, NULL, NULL, 0);
        int count = PQntuples(rows);
        char *id_end = ids, *token_end = tokens;
        *id_end++ = '{';
        *token_end++ = '{';
        for (int row = 0; row < count; row++) {
            const char *comma = row == 0 ? "" : ",";
            id_end += sprintf(id_end, "%s%s", comma, PQgetvalue(rows, row, 0));
            token_end += sprintf(token_end, "%s%s", comma, PQgetvalue(rows, row, 1));
        }
        strcpy(id_end, "}");
        strcpy(token_end, "}");
        status = check(connection, rows);
        if (status != 0 || count == 0) break;
        const char *values[2] = {ids, tokens};
        status = check(connection, PQexecPrepared(connection, "settle", 2, values, NULL, NULL, 1));
        worker->count += count;
    }
    free(ids);
    free(tokens);
    PQfinish(connection);
    worker->status = status;
    return NULL;
}

double floor_relay(const char *url, int workers, int size) {
    enum { most = 16 };
    if (workers < 1 || workers > most || size < 1) return -1;
    pthread_t threads[most];
    struct worker states[most];
    double start = now();
    for (int number = 0; number < workers; number++) {
        states[number] = (struct worker){url, size, 0, -1};
        pthread_create(&threads[number], NULL, work, &states[number]);
    }
    long count = 0;
    int status = 0;
    for (int number = 0; number < workers; number++) {
        pthread_join(threads[number], NULL);
        count += states[number].count;
        if (states[number].status != 0) status = -1;
    }
    return status == 0 ? (double)count / (now() - start) : -1;
}

struct client {
    const char *url;
    const char *raise;
    double seconds;
    long count;
    int status;
};

// Writes rows of a program, each in a transaction of its own.
static void *insert_rows(void *argument) {
    struct client *client = argument;
    PGconn *connection = open_connection(client->url);
    if (!connection) return NULL;
    int status = check(connection,
        PQprepare(connection, "insert", "INSERT INTO purchase (document) VALUES (repeat('p', 200))", 0, NULL));
    if (status == 0 && client->raise) status = check(connection, PQprepare(connection, "raise", client->raise, 0, NULL));
    double start = now();
    while (status == 0 && now() - start < client->seconds) {
        status = execute(connection, "BEGIN");
        if (status == 0) status = check(connection, PQexecPrepared(connection, "insert", 0, NULL, NULL, NULL, 0));
        if (status == 0 && client->raise)
            status = check(connection, PQexecPrepared(connection, "raise", 0, NULL, NULL, NULL, 0));
        if (status == 0) status = execute(connection, "COMMIT");
        client->count += 1;
    }
    PQfinish(connection);
    client->status = status;
    return NULL;
}

double floor_rows(const char *url, double seconds, int clients, const char *raise) {
    enum { most = 256 };
    if (clients < 1 || clients > most) return -1;
    pthread_t threads[most];
    struct client states[most];
    for (int number = 0; number < clients; number++) {
        states[number] = (struct client){url, raise, seconds, 0, -1};
        pthread_create(&threads[number], NULL, insert_rows, &states[number]);
    }
    long count = 0;
    int status = 0;
    for (int number = 0; number < clients; number++) {
        pthread_join(threads[number], NULL);
        count += states[number].count;
        if (states[number].status != 0) status = -1;
    }
    return status == 0 ? (double)count / seconds : -1;
}

int floor_execute(const char *url, const char *sql) {
    static PGconn *connection = NULL;
    if (!connection) connection = open_connection(url);
    return connection ? execute(connection, sql) : -1;
}
