/** Checks proposed from several responses: they hold on all of them, and are no more than what was seen. */
import t from 'tap';
import type { Json } from '../../../src/check/json/json.ts';
import { proposeChecks, type SeenResponse } from '../../../src/judge/prove/propose-checks.ts';

const respond = (value: Json, status = 200): SeenResponse => ({
  status,
  headers: [],
  body: { kind: 'json', value },
});
const propose = (...values: readonly Json[]): readonly string[] =>
  proposeChecks(
    values.map((value) => respond(value)),
    ['very-secret-token'],
  ).checks;

t.test('a fixed word is compared, a number and an id are checked by their form', async (t) => {
  const body = { status: 'ok', uptime: 12, id: '6f9619ff-8b86-d011-b42d-00cf4fc964ff' };
  t.same(propose(body, body), [
    'status=200',
    'body has status equals ok',
    'body has uptime matching ^[0-9]+$',
    'body has id matching ^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  ]);
});

t.test('what differs becomes a pattern, and what is missing once is left out', async (t) => {
  const [first, second] = [
    { state: 'idle', load: 1, ready: true, once: 1, note: null },
    { state: 'busy', load: 0.25, ready: false, note: 'x' },
  ];
  t.same(propose(first, second), [
    'status=200',
    'body has state matching \\S',
    'body has load matching ^-?[0-9]+(\\.[0-9]+)?$',
    'body has ready matching ^(true|false)$',
    'body has note',
  ]);
  const { notes } = proposeChecks([respond(first), respond(second)], []);
  t.match(notes, ['`once` is left out: it was not in every response']);
});

t.test('items of a list are data: their types are checked, not their values', async (t) => {
  const { checks, notes } = proposeChecks(
    [
      respond([{ id: 7, title: 'hello', tags: [], done: false }]),
      respond([{ id: 8, title: 'more', tags: ['a'], done: true }]),
    ],
    [],
  );
  t.same(checks, [
    'status=200',
    'body has [0].id matching ^[0-9]+$',
    'body has [0].title matching \\S',
    'body has [0].tags matching ^\\[',
    'body has [0].done matching ^(true|false)$',
  ]);
  t.match(notes, ['the checks need at least one item in the list']);
});

t.test('small objects are opened, and a list within an object is checked by its type', async (t) => {
  t.same(propose({ database: { status: 'ok' }, data: [1] }, { database: { status: 'ok' }, data: [] }), [
    'status=200',
    'body has database.status equals ok',
    'body has data matching ^\\[',
  ]);
});

t.test('a value that holds the secret of the application is never written', async (t) => {
  const body = { echo: 'very-secret-token', token: 'abcdef' };
  const checks = propose(body, body);
  t.same(checks, ['status=200', 'body has echo', 'body has token matching \\S']);
});

t.test(
  'a body that is not JSON, an empty one and an empty list are told, and only the status is checked',
  async (t) => {
    const text: SeenResponse = {
      status: 200,
      headers: [],
      body: { kind: 'not_json', problem: 'x', excerpt: '<' },
    };
    for (const [response, note] of [
      [text, /not JSON/],
      [{ ...text, body: { kind: 'empty' } as const }, /no body/],
      [respond([]), /empty list/],
    ] as const) {
      const { checks, notes } = proposeChecks([response, response], []);
      t.same(checks, ['status=200']);
      t.match(notes[0], note);
    }
  },
);

t.test('another status the second time leaves no check', async (t) => {
  const { checks, notes } = proposeChecks([respond({}, 200), respond({}, 503)], []);
  t.same(checks, []);
  t.match(notes, ['the status differed between requests: 200, 503']);
});

t.test(
  'a number that follows from others is checked by the relation, as long as it holds in every response',
  async (t) => {
    const page = (count: number, totalPages: number) => ({
      data: Array.from({ length: 2 }, (_, id) => ({ id })),
      count,
      perPage: 2,
      totalPages,
    });
    t.same(propose(page(5, 3), page(7, 4)).slice(2), [
      'body has count matching ^[0-9]+$',
      'body has perPage matching ^[0-9]+$',
      'body totalPages equals ceil(count / perPage)',
    ]);
    t.same(
      propose(page(5, 3), page(7, 3)).slice(-1),
      ['body has totalPages matching ^[0-9]+$'],
      'it did not hold once',
    );
    t.match(propose({ meta: { items: [1, 2, 3], count: 3 } }, { meta: { items: [1], count: 1 } }), [
      'status=200',
      'body has meta.items matching ^\\[',
      'body meta.count equals count(meta.items)',
    ]);
  },
);
