#!/usr/bin/env bash
# Places an order by psql, and delivers its event: ../../Scripts/postgres ./order-by-psql.sh
set -euo pipefail
cd "$(dirname "$0")"
[ -n "${SHOP:-}" ] || ../../Scripts/build --traits Postgres
shop=${SHOP:-$PWD/.build/debug/shop}
export SHOP_DATABASE=$HEADRACE_POSTGRES_URL
files=$PWD
database=(psql --quiet --set ON_ERROR_STOP=1 --dbname "$SHOP_DATABASE")
cd "$(mktemp -d)"

"${database[@]}" --file "$files/tables.sql"
"$shop" deliver # creates the tables and the functions of the store
"${database[@]}" --set customer=Ada --set item=tea --file "$files/order.sql"
"$shop" deliver
"$shop" mails
"${database[@]}" --command 'SELECT * FROM shop.sales'
