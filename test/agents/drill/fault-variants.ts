/**
 * Two variants of each kind of fault, written after the method of the scripted agent (`method.ts`), which was not changed for them.
 * `missed`: why the method does not find it. `alsoFound`: kinds of other findings that the fault causes.
 */
import type { Fault, Product, Reply, ShopParts } from './shop-application.ts';

export type FaultVariant = Fault & { readonly missed?: string; readonly alsoFound?: readonly string[] };

const change =
  (edit: (call: Parameters<ShopParts['finish']>[0], reply: Reply) => Reply) =>
  ({ finish }: ShopParts): Partial<ShopParts> => ({ finish: (call, reply) => edit(call, finish(call, reply)) });

const members = (value: unknown): Record<string, unknown> => ({ ...Object(value) });

export const firstVariants: readonly FaultVariant[] = [
  {
    kind: 'paging',
    name: 'a page begins with the last row of the page before it',
    plant: ({ cutPage }) => ({
      cutPage(rows, page, perPage) {
        const start = Math.max(0, (page - 1) * perPage - (page > 1 ? 1 : 0));
        return { ...cutPage(rows, page, perPage), data: rows.slice(start, start + perPage) };
      },
    }),
  },
  {
    kind: 'rounding',
    name: 'binary fractions are rounded by toFixed',
    plant: () => ({
      computeTotal: (items) => Number(items.reduce((sum, { price, quantity }) => sum + price * quantity, 0).toFixed(2)),
    }),
  },
  {
    kind: 'authorization',
    name: 'a product can be removed without a token',
    // The product is removed by the request without a token, and the one with it finds none.
    alsoFound: ['wrong status'],
    plant: () => ({ needsToken: ({ method }) => method !== 'DELETE' }),
  },
  {
    kind: 'row lock',
    name: 'a lock is not waited for longer than 40 ms',
    plant({ lockRow }) {
      return {
        lockRow: (row, work) => {
          let isStarted = false;
          const once = (): Promise<Reply> => {
            isStarted = true;
            return work();
          };
          const timedOut = new Promise<void>((resolve) => setTimeout(resolve, 40));
          return new Promise<Reply>((resolve, reject) => {
            const locked = lockRow(row, () => (isStarted ? Promise.resolve({ status: 0 }) : once()));
            locked.then((reply) => reply.status !== 0 && resolve(reply), reject);
            timedOut.then(() => void (isStarted || once().then(resolve, reject)), reject);
          });
        },
      };
    },
  },
  {
    kind: 'wrong status',
    name: 'an unknown row is answered with 200',
    // What belongs to another customer is answered like what is unknown.
    alsoFound: ['authorization'],
    plant: change(({ method }, reply) =>
      method === 'GET' && reply.status === 404 ? { ...reply, status: 200 } : reply,
    ),
  },
  {
    kind: 'stale cache',
    name: 'the list is read once',
    plant({ listProducts }) {
      let cached: readonly Product[] | undefined;
      return {
        listProducts(products) {
          cached ??= listProducts(products);
          return cached;
        },
      };
    },
  },
  {
    kind: 'n+1 queries',
    name: 'a query for each two rows',
    plant: () => ({
      queryRelated: (table, ids) => ids.filter((_, index) => index % 2 === 0).map((id) => `SELECT ${table} ${id}`),
    }),
  },
  {
    kind: 'leaked field',
    name: 'rows of the list of products have their margin',
    plant: change(({ path }, reply) => {
      const { data, ...rest } = members(reply.body);
      if (path !== '/products' || !Array.isArray(data)) return reply;
      return { ...reply, body: { ...rest, data: data.map((row) => ({ ...members(row), margin: 0.4 })) } };
    }),
  },
];

export const secondVariants: readonly FaultVariant[] = [
  {
    kind: 'paging',
    name: 'the count is the one of the page',
    plant: ({ cutPage }) => ({
      cutPage(rows, page, perPage) {
        const result = cutPage(rows, page, perPage);
        return { ...result, count: result.data.length };
      },
    }),
  },
  {
    kind: 'rounding',
    name: 'each line is rounded before the sum',
    plant: ({ computeTotal }) => ({
      computeTotal: (items) => Math.round(items.reduce((sum, item) => sum + computeTotal([item]) * 100, 0)) / 100,
    }),
  },
  {
    kind: 'authorization',
    name: 'customers can read what belongs to those before them',
    plant: () => ({ mayRead: (owner, user) => owner <= user }),
  },
  {
    kind: 'row lock',
    name: 'the balance is checked before the lock, so that two withdrawals can overdraw it',
    missed: 'requests at once that together exceed the balance have different statuses, which a step cannot expect',
    plant() {
      const balances = new WeakMap<object, number>();
      return {
        async lockRow(row, work) {
          if (!balances.has(row)) balances.set(row, Number(members(row).balance));
          const reply = await work();
          if (reply.status === 201) balances.set(row, (balances.get(row) ?? 0) - Number(members(reply.body).amount));
          return Object.assign(row, { balance: balances.get(row) }) && reply;
        },
      };
    },
  },
  {
    kind: 'wrong status',
    name: 'a request without its fields is answered with 500',
    plant: change((_call, reply) => (reply.status === 400 ? { ...reply, status: 500 } : reply)),
  },
  {
    kind: 'stale cache',
    name: 'a removed product can still be read',
    missed: 'the method reads again after PUT and POST, not after DELETE',
    plant({ readProduct }) {
      const seen = new Map<number, Product>();
      return {
        readProduct(id, products) {
          const product = readProduct(id, products);
          if (product) seen.set(id, product);
          return product ?? seen.get(id);
        },
      };
    },
  },
  {
    kind: 'n+1 queries',
    name: 'a query for each item of one order',
    plant: ({ queryRelated }) => ({
      queryRelated: (table, ids) =>
        table === 'items' ? ids.map((id) => `SELECT ${table} ${id}`) : queryRelated(table, ids),
    }),
  },
  {
    kind: 'leaked field',
    name: 'errors show where they happened',
    plant: change((_call, reply) =>
      reply.status === 404 ? { ...reply, body: { ...members(reply.body), stack: 'at shop.ts:1' } } : reply,
    ),
  },
];
