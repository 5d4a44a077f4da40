/**
 * The method of the scripted agent: for each operation of a document the same questions, whatever the application is. It was written
 * before the variants of the faults, and is not changed for them.
 * Length: one function for each question.
 */
import { findOperation, findRule, getSuccess, isPaged, type Operation } from './operations.ts';
import type { Draft } from './scenario-draft.ts';

/** What the agent has seen before it writes. */
export type Knowledge = {
  readonly operations: readonly Operation[];
  /** Ids of the rows of a list, by its path. */
  readonly ids: ReadonlyMap<string, readonly string[]>;
  /** Lines of the log for one row of a list, by its path. */
  readonly linesOfOne: ReadonlyMap<string, number>;
  /** A row with one element and a row with several, by the path of its collection. */
  readonly grown: ReadonlyMap<string, { readonly id: string; readonly lines: number }>;
};

const getCollection = (path: string): string => path.replace(/\/\{id\}.*$/, '');
const isOwned = ({ description }: Operation): boolean => description.includes('others get 404');

function fillPath({ path, method }: Operation, { ids }: Knowledge): string {
  const known = ids.get(getCollection(path)) ?? ['1'];
  // What is removed is not needed by other scenarios.
  return path.replace('{id}', (method === 'DELETE' ? known.at(-1) : known[0]) ?? '1');
}

/** Each documented status, and no field that is not documented. */
function draftContract(operation: Operation, knowledge: Knowledge): readonly Draft[] {
  const { id, method, path, responses, example } = operation;
  const meaning = { status: 'wrong status', others: 'leaked field' };
  const draft = (status: number, own: string, body: object | undefined): readonly Draft[] => {
    if (!responses.has(status)) return [];
    const schema = responses.get(status);
    const checks = [`status=${status}`, ...(schema ? ['body matches schema answer.json'] : [])];
    const request = { method, path: own, ...(body ? { body } : {}) };
    return [{ id: `${id}-${status}`, meaning, request, checks, ...(schema ? { schema } : {}) }];
  };
  return [
    ...draft(getSuccess(operation), fillPath(operation, knowledge), example),
    ...draft(400, fillPath(operation, knowledge), {}),
    ...(path.includes('{id}') ? draft(404, path.replace('{id}', '999999'), example) : []),
  ];
}

/** No token, and the token of another customer. */
function draftAuthorization(operation: Operation, knowledge: Knowledge): readonly Draft[] {
  const { id, method, example } = operation;
  const draft = (status: number, token: string, name: string): Draft => ({
    id: `${id}-${name}`,
    meaning: 'authorization',
    request: { method, path: fillPath(operation, knowledge), token, ...(example ? { body: example } : {}) },
    checks: [`status=${status}`],
  });
  return [draft(401, '', 'no-token'), ...(isOwned(operation) ? [draft(404, '${PLAIN}', 'other')] : [])];
}

/** Pages are pieces of the whole list; one behind the last is empty. */
function draftPaging(operation: Operation, { ids }: Knowledge): readonly Draft[] {
  const { id, path } = operation;
  const rule = findRule(operation);
  const known = ids.get(path) ?? [];
  if (!isPaged(operation) || rule === undefined) return [];
  const whole = {
    name: 'the whole list',
    method: 'GET',
    path: `${path}?page=1&perPage=100`,
    bullets: [
      'status=200',
      'body unique data.id',
      'body count equals count(data.id)',
      'capture all = body.count',
      ...known.map((_, index) => `capture id${index} = body.data[${index}].id`),
    ],
  };
  const perPage = 2;
  const pages = Math.ceil(known.length / perPage);
  return [1, 2, pages, pages + 1].map((page) => {
    const first = (page - 1) * perPage;
    const expected = known.slice(first, first + perPage);
    return {
      id: `${id}-page-${page}`,
      meaning: 'paging',
      steps: [whole],
      request: { method: 'GET', path: `${path}?page=${page}&perPage=${perPage}` },
      checks: [
        'status=200',
        `body data length = ${expected.length}`,
        ...expected.map((_, index) => `body data[${index}].id equals \${id${first + index}}`),
        `body ${rule[0]} equals ${rule[1]}`,
        'body count equals ${all}',
        `body page equals ${page}`,
      ],
    };
  });
}

const trickyAmounts = [
  ['0.1', '3'],
  ['1.005', '1'],
  ['2.675', '1'],
  ['0.7', '3'],
  ['19.99', '7'],
  ['0.005', '1'],
  ['33.333', '3'],
] as const;

/** A rule about numbers, with amounts that binary fractions and early rounding get wrong. */
function draftRounding(operation: Operation): readonly Draft[] {
  const rule = findRule(operation);
  const { id, method, path, example } = operation;
  if (method !== 'POST' || rule === undefined || !example) return [];
  const body = JSON.stringify(example)
    .replaceAll(/:\d+\.\d+/g, ':${amount}')
    .replaceAll(/:\d+/g, ':${times}')
    .replace(/\[(\{.*\})\]/, '[$1,$1,{"price":0.335,"quantity":1}]');
  return [
    {
      id: `${id}-rule`,
      meaning: 'rounding',
      request: { method, path, body },
      checks: ['status=2xx', `body ${rule[0]} equals ${rule[1]}`],
      cases: [['amount', 'times'], ...trickyAmounts],
    },
  ];
}

/** What one request lowers by an amount, several at once lower by as many. */
function draftParallel({ id, method, path, description, example = {} }: Operation): readonly Draft[] {
  const [, field, , amount] = /lowers `(\w+)` of the (\w+) by `(\w+)`/.exec(description) ?? [];
  if (field === undefined || amount === undefined) return [];
  const filled = path.replace('{id}', '1');
  const read = { method: 'GET', path: filled.replace(/\/[^/]+$/, '') };
  return [
    {
      id: `${id}-parallel`,
      meaning: 'row lock',
      steps: [
        { name: 'before', ...read, bullets: [`capture before = body.${field}`] },
        { name: 'at once', method, path: filled, body: example, bullets: ['status=2xx', 'concurrent 8'] },
      ],
      request: read,
      checks: ['status=200', `body ${field} equals \${before} - 8 * ${String(example[amount])}`],
    },
  ];
}

/** What was written is read, by id and in the list, also when it was read before. */
function draftCaching(operation: Operation, knowledge: Knowledge): readonly Draft[] {
  const { operations } = knowledge;
  const { id, method, path, example = {} } = operation;
  const collection = findOperation(operations, 'GET', getCollection(path));
  const own = fillPath(operation, knowledge);
  const listPath = `${getCollection(path)}?page=1&perPage=100`;
  const list = { method: 'GET', path: listPath };
  const meaning = 'stale cache';
  const draft = (name: string, before: DraftRead, bullets: readonly string[], after: DraftRead, checks: string[]) => ({
    id: `${id}-then-${name}`,
    meaning,
    steps: [
      { name: 'before', ...before, bullets },
      {
        name: 'write',
        method,
        path: own,
        body: changed,
        bullets: method === 'POST' ? ['status=2xx', 'capture id = body.id'] : ['status=2xx'],
      },
    ],
    request: after,
    checks,
  });
  const changed = Object.fromEntries(
    Object.entries(example).map(([name, value]) => [name, typeof value === 'number' ? value + 11 : value]),
  );
  const item = { method: 'GET', path: own };
  if (method === 'PUT')
    return Object.entries(changed).flatMap(([name, value]) => [
      draft('read', item, ['status=200'], item, ['status=200', `body has ${name} equals ${String(value)}`]),
      ...(collection
        ? [draft('list', list, ['status=200'], list, ['status=200', `body some data.${name} equals ${String(value)}`])]
        : []),
    ]);
  if (method === 'POST' && collection?.path === path)
    return [
      draft('list', list, ['status=200', 'capture all = body.count'], list, [
        'status=200',
        'body count equals ${all} + 1',
        'body some data.id equals ${id}',
      ]),
    ];
  return [];
}

type DraftRead = { readonly method: string; readonly path: string };

/** The number of queries does not grow with the number of rows. */
function draftQueries({ id, method, path }: Operation, { linesOfOne, grown }: Knowledge): readonly Draft[] {
  const one = linesOfOne.get(path);
  const large = grown.get(getCollection(path));
  const draft = (requestPath: string, lines: number): Draft => ({
    id: `${id}-queries`,
    meaning: 'n+1 queries',
    request: { method: 'GET', path: requestPath },
    checks: ['status=200', `log lines<=${lines}`],
    readsLog: true,
  });
  if (method !== 'GET') return [];
  if (one !== undefined) return [draft(`${path}?page=1&perPage=100`, one)];
  return large && path.endsWith('/{id}') ? [draft(path.replace('{id}', large.id), large.lines)] : [];
}

/** Reading first, removal last. */
export function draftAll(knowledge: Knowledge): readonly Draft[] {
  const { operations } = knowledge;
  const order = ['GET', 'PUT', 'POST', 'DELETE'];
  const sorted = operations.toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method));
  return [
    ...sorted.flatMap((each) => draftPaging(each, knowledge)),
    ...sorted.flatMap((each) => draftQueries(each, knowledge)),
    ...sorted.flatMap((each) => draftAuthorization(each, knowledge)),
    ...sorted.flatMap((each) => draftCaching(each, knowledge)),
    ...sorted.flatMap(draftParallel),
    ...sorted.flatMap(draftRounding),
    ...sorted.flatMap((each) => draftContract(each, knowledge)),
  ];
}
