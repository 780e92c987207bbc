#!/usr/bin/env bash
# Places an order by psql, and delivers its event: ../../Scripts/postgres ./order-by-psql.sh
set -euo pipefail
cd "$(dirname "$0")"
export SHOP_DATABASE=$HEADRACE_POSTGRES_URL
database=(psql --quiet --set ON_ERROR_STOP=1 --dbname "$SHOP_DATABASE")

"${database[@]}" --file tables.sql
.build/debug/shop deliver # creates the tables and the functions of the store
"${database[@]}" --set customer=Ada --set item=tea --file order.sql
.build/debug/shop deliver
.build/debug/shop mails
"${database[@]}" --command 'SELECT * FROM shop.sales'
