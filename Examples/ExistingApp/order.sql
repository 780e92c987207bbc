-- Places an order: psql --set customer=Ada --set item=tea --file order.sql
BEGIN;
INSERT INTO shop.customer VALUES (:'customer') ON CONFLICT DO NOTHING;
WITH placed AS (
    INSERT INTO shop.purchase (customer, item) VALUES (:'customer', :'item') RETURNING id, customer, item
)
SELECT headrace.raise(
    'order-placed',
    jsonb_build_object('order', id, 'customer', customer, 'item', item),
    'purchase', id::text -- events of one order are raised in their order
) AS message
FROM placed;
COMMIT;
