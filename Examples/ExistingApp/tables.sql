-- The tables of the shop, which its own tools create.
CREATE SCHEMA shop;
CREATE TABLE shop.customer (name text PRIMARY KEY);
CREATE TABLE shop.purchase (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer text NOT NULL REFERENCES shop.customer,
    item text NOT NULL,
    shipped boolean NOT NULL DEFAULT false
);
CREATE TABLE shop.sales (item text PRIMARY KEY, count bigint NOT NULL);
