import { Hono } from 'hono';
import { ApiError, type Problem } from '../http/api-error.ts';
import type { ExampleEnv, Services } from '../http/context.ts';
import { readJsonBody } from '../http/json-body.ts';
import { listBody, parsePage } from '../http/paging.ts';
import { parseCreate, type Resource } from '../resources/resource.ts';
import type { Row, Session } from '../storage/database.ts';
import { type Filter, insertRow, listRows, readRow, rowExists } from '../storage/rows.ts';

function parseFilter(resource: Resource, query: (name: string) => string | undefined): Filter {
  const filter: Record<string, string> = {};
  for (const [name, known] of Object.entries(resource.filters)) {
    const value = query(name);
    if (value === undefined) continue;
    if (!known.includes(value)) {
      const problem = { field: name, message: `must be one of: ${known.join(', ')}` };
      throw new ApiError('invalid', 'the query is not valid', [problem]);
    }
    filter[name] = value;
  }
  return filter;
}

async function missingReferences(session: Session, resource: Resource, values: Row): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const [name, { references }] of Object.entries(resource.fields)) {
    const id = values[name];
    if (references === undefined || typeof id !== 'string') continue;
    if (await rowExists(session, references, id)) continue;
    problems.push({ field: name, message: `there is no ${references} with this id` });
  }
  return problems;
}

function refuse(resource: Resource, problems: readonly Problem[]): never {
  throw new ApiError('invalid', `the ${resource.name} is not valid`, problems);
}

/** Called when a row is created: within the transaction, and after its commit. */
export type OnCreate = {
  readonly inTransaction: (session: Session, row: Row, requestId: string) => Promise<void>;
  readonly committed: (row: Row, requestId: string) => void;
};

type Creation = { readonly sent: unknown; readonly requestId: string; readonly onCreate: OnCreate | undefined };

async function create(services: Services, resource: Resource, { sent, requestId, onCreate }: Creation): Promise<Row> {
  const parsed = parseCreate(resource, sent);
  if ('problems' in parsed) return refuse(resource, parsed.problems);
  const id = `${resource.name}-${services.newId()}`;
  const createdAt = new Date(services.clock.nowMs()).toISOString();
  const row = await services.database.transaction(async (session) => {
    const missing = await missingReferences(session, resource, parsed.values);
    if (missing.length > 0) return refuse(resource, missing);
    const created = await insertRow(session, resource, { ...parsed.values, ...resource.initial, id, createdAt });
    await onCreate?.inTransaction(session, created, requestId);
    return created;
  });
  onCreate?.committed(row, requestId);
  return row;
}

/** List, read and create of a resource. */
export function collectionRoutes(services: Services, resource: Resource, onCreate?: OnCreate): Hono<ExampleEnv> {
  const { database } = services;
  const routes = new Hono<ExampleEnv>();
  routes.get('/', async (c) => {
    const page = parsePage({ page: c.req.query('page'), perPage: c.req.query('perPage') });
    const { rows, count } = await listRows(
      database,
      resource,
      parseFilter(resource, (name) => c.req.query(name)),
      page,
    );
    return c.json(listBody(rows, count, page));
  });
  routes.post('/', async (c) => {
    const row = await create(services, resource, {
      sent: await readJsonBody(c),
      requestId: c.get('requestId'),
      onCreate,
    });
    return c.json(row, 201, { Location: `/api/v2/${resource.name}/${row.id}` });
  });
  routes.get('/:id', async (c) => {
    const row = await readRow(database, resource, c.req.param('id'));
    if (!row) throw new ApiError('not_found', `there is no such ${resource.name}`);
    return c.json(row);
  });
  return routes;
}
