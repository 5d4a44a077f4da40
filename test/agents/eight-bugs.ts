/**
 * A small shop with eight faults of different kinds, each of which can be mended. It writes a log line for each request and for each
 * query, as applications do whose database library logs.
 */
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { getPort } from '../targets/raw-target.ts';

export const faults = [
  'paging',
  'rounding',
  'authorization',
  'row lock',
  'wrong status',
  'stale cache',
  'n+1 queries',
  'leaked field',
] as const;
export type Fault = (typeof faults)[number];

export type FaultyShop = { readonly url: string; readonly logFile: string; mend(): void };

type Answer = { readonly status?: number; readonly body: unknown };
type Call = { readonly method: string; readonly path: string; readonly text: string; readonly isAuthorized: boolean };

const items = [
  { price: 0.7, quantity: 3 },
  { price: 2.05, quantity: 4 },
];
const orders = [1, 2, 3, 4, 5].map((id) => ({ id, state: 'open', created_at: `2026-11-0${id}` }));

/** `has`: whether the fault is still there. `query` logs a statement. */
function answer(call: Call, prices: Prices, has: (fault: Fault) => boolean, query: (sql: string) => void): Answer {
  const { method, path } = call;
  const isReport = path === '/api/v2/report';
  if (!call.isAuthorized && !(isReport && has('authorization')))
    return { status: 401, body: { error: 'unauthorized' } };
  if (isReport) return { body: { revenue: 12 } };
  if (path.startsWith('/api/v2/order?')) return listOrders(has, query);
  if (path === '/api/v2/order/1') {
    query('SELECT * FROM orders WHERE id = $1');
    // 0.7 * 3 is 2.0999999999999996.
    const exact = items.reduce((sum, item) => sum + Math.round(item.price * 100) * item.quantity, 0) / 100;
    const cut = items.reduce((sum, item) => sum + Math.floor(item.price * item.quantity * 100) / 100, 0);
    return { body: { id: 1, items, total: has('rounding') ? Math.round(cut * 100) / 100 : exact } };
  }
  if (path === '/api/v2/order' && method === 'POST')
    return { status: has('wrong status') ? 200 : 201, body: { id: 6 } };
  if (path === '/api/v2/account/1/withdrawal') {
    query(`SELECT balance FROM account WHERE id = $1${has('row lock') ? '' : ' FOR UPDATE'}`);
    query('UPDATE account SET balance = $2 WHERE id = $1');
    return { body: { balance: 90 } };
  }
  if (path === '/api/v2/product/1')
    return method === 'PUT' ? prices.write(call.text) : { body: prices.read(has('stale cache')) };
  if (path === '/api/v2/user') return listUsers(has('leaked field'));
  return { status: 404, body: { error: 'not found' } };
}

function listOrders(has: (fault: Fault) => boolean, query: (sql: string) => void): Answer {
  const perPage = 2;
  const data = orders.slice(0, perPage).map((order) => ({ ...order, customer: { name: `customer ${order.id}` } }));
  query('SELECT * FROM orders ORDER BY id LIMIT $1');
  if (has('n+1 queries')) for (const { id } of data) query(`SELECT * FROM customer WHERE order_id = ${id}`);
  else query('SELECT * FROM customer WHERE order_id = ANY($1)');
  const pages = orders.length / perPage;
  const totalPages = has('paging') ? Math.floor(pages) : Math.ceil(pages);
  return { body: { data, count: orders.length, currentPage: 1, perPage, totalPages } };
}

function listUsers(leaks: boolean): Answer {
  const data = ['Ann', 'Ben'].map((name, index) => ({
    id: index + 1,
    name,
    ...(leaks ? { password_hash: `$2b$10$${name}` } : {}),
  }));
  return { body: { data } };
}

/** A product whose first reading is cached. */
class Prices {
  #price = 10;
  #cached = 10;

  write(text: string): Answer {
    const { price }: { price?: number } = JSON.parse(text);
    this.#cached = this.#price;
    this.#price = price ?? 0;
    return { body: { id: 1, price: this.#price } };
  }

  read(isStale: boolean): { readonly id: number; readonly price: number } {
    return { id: 1, price: isStale ? this.#cached : this.#price };
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** Starts the shop with all its faults. */
export async function startFaultyShop(t: Test, apiToken: string): Promise<FaultyShop> {
  const folder = mkdtempSync(join(tmpdir(), 'vp-drill-'));
  const logFile = join(folder, 'shop.log');
  appendFileSync(logFile, '');
  const prices = new Prices();
  let isMended = false;
  const server = createServer(async (request, response) => {
    const id = request.headers['x-request-id'];
    const log = (fields: object): void =>
      appendFileSync(logFile, `${JSON.stringify({ level: 30, requestId: id, ...fields })}\n`);
    const { method = 'GET', url: path = '/' } = request;
    const isAuthorized = request.headers.authorization === `Bearer ${apiToken}`;
    const call = { method, path, text: await readText(request), isAuthorized };
    const { status = 200, body } = answer(
      call,
      prices,
      () => !isMended,
      (sql) => log({ sql }),
    );
    log({ msg: 'request completed', status });
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    url: `http://127.0.0.1:${getPort(server)}`,
    logFile,
    mend() {
      isMended = true;
    },
  };
}
