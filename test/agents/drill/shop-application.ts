/**
 * A small application by the rules of its API document. Each thing that can be wrong is a part that a fault replaces. It writes a log
 * line for each request and for each query, as applications do whose database library logs.
 */
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Test } from 'tap';
import { getPort } from '../../targets/raw-target.ts';

export type Item = { readonly price: number; readonly quantity: number };
export type Product = { readonly id: number; readonly name: string; readonly price: number };
type Order = { readonly id: number; readonly customer: number; readonly items: readonly Item[] };
export type Call = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  /** Undefined without a token that is known. */
  readonly user: number | undefined;
};
export type Reply = { readonly status: number; readonly body?: unknown };
export type Page = {
  readonly data: readonly unknown[];
  readonly count: number;
  readonly page: number;
  readonly perPage: number;
  readonly totalPages: number;
};

/** What the application does, in parts; the one who writes a fault replaces one of them. */
export type ShopParts = {
  cutPage(rows: readonly unknown[], page: number, perPage: number): Page;
  computeTotal(items: readonly Item[]): number;
  needsToken(call: Call): boolean;
  mayRead(owner: number, user: number): boolean;
  /** Runs `work` while nothing else works on the row. */
  lockRow(row: object, work: () => Promise<Reply>): Promise<Reply>;
  readProduct(id: number, products: ReadonlyMap<number, Product>): Product | undefined;
  listProducts(products: ReadonlyMap<number, Product>): readonly Product[];
  /** The queries for what belongs to rows that were read. */
  queryRelated(table: string, ids: readonly number[]): readonly string[];
  finish(call: Call, reply: Reply): Reply;
};

export type Fault = { readonly kind: string; readonly name: string; plant(parts: ShopParts): Partial<ShopParts> };

export function createCorrectParts(): ShopParts {
  const locks = new WeakMap<object, Promise<unknown>>();
  return {
    cutPage: (rows, page, perPage) => ({
      data: rows.slice((page - 1) * perPage, page * perPage),
      count: rows.length,
      page,
      perPage,
      totalPages: Math.ceil(rows.length / perPage),
    }),
    // In thousandths, because prices have up to three decimals; half a cent is rounded up.
    computeTotal: (items) =>
      Math.floor((items.reduce((sum, item) => sum + Math.round(item.price * 1000) * item.quantity, 0) + 5) / 10) / 100,
    needsToken: () => true,
    mayRead: (owner, user) => owner === user,
    lockRow(row, work) {
      const result = (locks.get(row) ?? Promise.resolve()).then(work);
      locks.set(row, result);
      return result;
    },
    readProduct: (id, products) => products.get(id),
    listProducts: (products) => [...products.values()],
    queryRelated: (table, ids) => (ids.length === 0 ? [] : [`SELECT * FROM ${table} WHERE id = ANY($1)`]),
    finish: (_call, reply) => reply,
  };
}

const notFound: Reply = { status: 404, body: { error: 'not found' } };

/** The application's state and routes. `query` logs a statement. */
class Shop {
  readonly #orders: Order[] = [];
  readonly #products = new Map<number, Product>();
  readonly #accounts = [1, 2].map((id) => ({ id, balance: 1000 }));
  readonly #parts: ShopParts;

  constructor(parts: ShopParts) {
    this.#parts = parts;
    for (const id of [1, 2, 3, 4, 5]) {
      this.#orders.push({ id, customer: 1, items: [{ price: id, quantity: 2 }] });
      this.#products.set(id, { id, name: `product ${id}`, price: 10 * id });
    }
  }

  async answer(call: Call, query: (sql: string) => void): Promise<Reply> {
    if (call.user === undefined && this.#parts.needsToken(call))
      return { status: 401, body: { error: 'unauthorized' } };
    const [, collection, idText, part] = call.path.split('/');
    const route = `${call.method} /${collection}${idText === undefined ? '' : '/id'}${part === undefined ? '' : `/${part}`}`;
    const id = Number(idText);
    const user = call.user ?? 1;
    if (route === 'GET /orders')
      return this.#list(
        call,
        this.#orders.filter((order) => order.customer === user),
        query,
      );
    if (route === 'POST /orders') return this.#createOrder(call, user, query);
    if (route === 'GET /orders/id') return this.#readOrder(id, user, query);
    if (route === 'GET /products') return this.#list(call, this.#parts.listProducts(this.#products), query);
    if (route === 'GET /products/id') return this.#readProduct(id, query);
    if (route === 'PUT /products/id') return this.#writeProduct(id, call, query);
    if (route === 'DELETE /products/id') return this.#products.delete(id) ? { status: 204 } : notFound;
    const account = this.#accounts.find((each) => each.id === id);
    if (!account || collection !== 'accounts' || !this.#parts.mayRead(account.id, user)) return notFound;
    if (route === 'GET /accounts/id') return { status: 200, body: account };
    if (route === 'POST /accounts/id/withdrawals') return this.#withdraw(account, call, query);
    return notFound;
  }

  #list({ query: params }: Call, rows: readonly (Order | Product)[], query: (sql: string) => void): Reply {
    const [page, perPage] = ['page', 'perPage'].map((name, index) => Number(params.get(name) ?? [1, 10][index]));
    query('SELECT * FROM rows ORDER BY id LIMIT $1 OFFSET $2');
    const result = this.#parts.cutPage(rows, page ?? 1, perPage ?? 10);
    const ids = result.data.flatMap((row) => (row instanceof Object && 'id' in row ? Number(row.id) : []));
    for (const sql of this.#parts.queryRelated('related', ids)) query(sql);
    const view = (row: unknown): unknown =>
      row instanceof Object && 'items' in row ? this.#viewOrder(row as Order) : row;
    return { status: 200, body: { ...result, data: result.data.map(view) } };
  }

  #viewOrder({ id, customer, items }: Order) {
    return {
      id,
      customer: { id: customer, name: `customer ${customer}` },
      items,
      total: this.#parts.computeTotal(items),
    };
  }

  #createOrder({ body: { items } }: Call, customer: number, query: (sql: string) => void): Reply {
    if (!Array.isArray(items) || items.length === 0) return { status: 400, body: { error: 'items are missing' } };
    const order = { id: this.#orders.length + 1, customer, items: items as Item[] };
    this.#orders.push(order);
    query('INSERT INTO orders VALUES ($1)');
    return { status: 201, body: this.#viewOrder(order) };
  }

  #readOrder(id: number, user: number, query: (sql: string) => void): Reply {
    query('SELECT * FROM orders WHERE id = $1');
    const order = this.#orders.find((each) => each.id === id);
    if (!order || !this.#parts.mayRead(order.customer, user)) return notFound;
    for (const sql of this.#parts.queryRelated(
      'items',
      order.items.map((_, index) => index),
    ))
      query(sql);
    return { status: 200, body: this.#viewOrder(order) };
  }

  #readProduct(id: number, query: (sql: string) => void): Reply {
    query('SELECT * FROM products WHERE id = $1');
    const product = this.#parts.readProduct(id, this.#products);
    return product ? { status: 200, body: product } : notFound;
  }

  #writeProduct(id: number, { body: { price } }: Call, query: (sql: string) => void): Reply {
    const product = this.#products.get(id);
    if (!product) return notFound;
    if (typeof price !== 'number') return { status: 400, body: { error: 'price is missing' } };
    query('UPDATE products SET price = $2 WHERE id = $1');
    this.#products.set(id, { ...product, price });
    return { status: 200, body: { ...product, price } };
  }

  #withdraw(account: { id: number; balance: number }, { body: { amount } }: Call, query: (sql: string) => void) {
    if (typeof amount !== 'number') return { status: 400, body: { error: 'amount is missing' } };
    return this.#parts.lockRow(account, async () => {
      query('SELECT balance FROM accounts WHERE id = $1');
      const { balance } = account;
      await delay(30); // A query of a database takes its time.
      if (balance < amount) return { status: 409, body: { error: 'not enough' } };
      account.balance = balance - amount;
      return { status: 201, body: { account: account.id, amount } };
    });
  }
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const value: unknown = text === '' ? {} : JSON.parse(text);
  return value instanceof Object ? { ...value } : {};
}

export type RunningShop = { readonly url: string; readonly logFile: string };

/** Starts the application with the faults. `tokens`: of its customers 1 and 2. */
export async function startShop(t: Test, tokens: readonly string[], faults: readonly Fault[]): Promise<RunningShop> {
  const folder = mkdtempSync(join(tmpdir(), 'vp-drill-'));
  const logFile = join(folder, 'shop.log');
  appendFileSync(logFile, '');
  let parts = createCorrectParts();
  for (const fault of faults) parts = { ...parts, ...fault.plant(parts) };
  const shop = new Shop(parts);
  const server = createServer(async (request, response) => {
    const id = request.headers['x-request-id'];
    const log = (fields: object): void =>
      appendFileSync(logFile, `${JSON.stringify({ level: 30, requestId: id, ...fields })}\n`);
    const url = new URL(request.url ?? '/', 'http://shop.example');
    const user = tokens.findIndex((token) => request.headers.authorization === `Bearer ${token}`) + 1;
    const call: Call = {
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      body: await readBody(request),
      user: user === 0 ? undefined : user,
    };
    const reply = parts.finish(call, await shop.answer(call, (sql) => log({ sql })));
    log({ msg: 'request completed', status: reply.status });
    response.writeHead(reply.status, { 'content-type': 'application/json' });
    response.end(reply.body === undefined ? undefined : JSON.stringify(reply.body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { url: `http://127.0.0.1:${getPort(server)}`, logFile };
}
