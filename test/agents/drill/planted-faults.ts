/** The eight faults of the drill, one of each kind. */
import type { Fault, Product } from './shop-application.ts';

const readOnly = (product: Product): Product => ({ ...product });

export const plantedFaults: readonly Fault[] = [
  {
    kind: 'paging',
    name: 'the last page that is not full is not counted',
    plant: ({ cutPage }) => ({
      cutPage: (rows, page, perPage) => ({
        ...cutPage(rows, page, perPage),
        totalPages: Math.floor(rows.length / perPage),
      }),
    }),
  },
  {
    kind: 'rounding',
    name: 'each line is cut to cents before the sum',
    plant: () => ({
      computeTotal: (items) =>
        Math.round(
          items.reduce((sum, { price, quantity }) => sum + Math.floor(price * quantity * 100) / 100, 0) * 100,
        ) / 100,
    }),
  },
  {
    kind: 'authorization',
    name: 'an order can be read by every customer',
    plant: () => ({ mayRead: () => true }),
  },
  {
    kind: 'row lock',
    name: 'withdrawals read and write without a lock',
    plant: () => ({ lockRow: (_row, work) => work() }),
  },
  {
    kind: 'wrong status',
    name: 'a created order is answered with 200',
    plant: ({ finish }) => ({
      finish(call, reply) {
        const result = finish(call, reply);
        return call.path === '/orders' && result.status === 201 ? { ...result, status: 200 } : result;
      },
    }),
  },
  {
    kind: 'stale cache',
    name: 'a product that was read once is never read again',
    plant() {
      const cache = new Map<number, Product>();
      return {
        readProduct(id, products) {
          const product = cache.get(id) ?? products.get(id);
          if (product && products.has(id)) cache.set(id, readOnly(product));
          return products.has(id) ? product : undefined;
        },
      };
    },
  },
  {
    kind: 'n+1 queries',
    name: 'a query for each row of a list',
    plant: () => ({
      queryRelated: (table, ids) => ids.map((id) => `SELECT * FROM ${table} WHERE id = ${id}`),
    }),
  },
  {
    kind: 'leaked field',
    name: 'the customer of an order has its password hash',
    plant: ({ finish }) => ({
      finish(call, reply) {
        const result = finish(call, reply);
        const { body } = result;
        if (!(body instanceof Object) || !('customer' in body)) return result;
        return { ...result, body: { ...body, customer: { ...Object(body.customer), password_hash: '$2b$10$x' } } };
      },
    }),
  },
];
