-- Places an order: psql --set customer=Ada --set item=tea --file order.sql
BEGIN;
INSERT INTO shop.customer VALUES (:'customer') ON CONFLICT DO NOTHING;
INSERT INTO shop.purchase (customer, item) VALUES (:'customer', :'item') RETURNING id \gset
SELECT headrace.raise(
    'order-placed',
    jsonb_build_object('order', :id, 'customer', :'customer', 'item', :'item'),
    'purchase', :'id'
) AS event;
COMMIT;
