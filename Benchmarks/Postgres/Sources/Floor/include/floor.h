// SPDX-License-Identifier: Apache-2.0

// Loops over libpq that a store can be compared with. Each function connects, measures, and disconnects. A rate or a time below 0
// means a failure, which is printed.

#ifndef FLOOR_H
#define FLOOR_H

// Makes the tables of the floor, and 10,000 entities.
int floor_prepare(const char *url);

// Writes units of work for some seconds: an entity, an event, a lane, and a delivery each, `size` to a transaction. Returns the units per
// second.
double floor_batches(const char *url, double seconds, int size);

// Commits one row at a time, and stores the time of each commit in milliseconds.
int floor_commits(const char *url, int count, double *milliseconds);

// Adds `count` deliveries in lanes of their own.
int floor_fill(const char *url, long count);

// Leases all waiting deliveries, reads their events, and deletes them, with `workers` threads and `size` lanes to a lease. Returns the
// deliveries per second.
double floor_relay(const char *url, int workers, int size);

// Inserts rows of a program for some seconds with `clients` connections, each row in a transaction with the statement `raise` unless it
// is null. Returns the rows per second.
double floor_rows(const char *url, double seconds, int clients, const char *raise);

// Executes `sql` on a connection that stays open; from one thread.
int floor_execute(const char *url, const char *sql);

#endif
