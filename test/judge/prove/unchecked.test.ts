import t from 'tap';
import { type Json, Numeral } from '../../../src/check/json/json.ts';
import { judge } from '../../../src/judge/judge.ts';
import { createEvidence, createScenario } from '../evidence-fixtures.ts';
import { createProof } from './proof-fixtures.ts';

/** Suggestions by pointer, where only the status is checked. */
function suggestChecks(body: Json): Record<string, string> {
  const { unchecked } = createProof(['status=200'], body);
  return Object.fromEntries(unchecked.map(({ pointer, suggestion }) => [pointer, suggestion]));
}

t.test('an unchecked status is listed first', async (t) => {
  const { unchecked } = createProof(['body has a'], { a: 1, b: 2 }, { status: 201 });
  t.same(unchecked, [
    { pointer: 'status', field: undefined, value: '201', suggestion: 'status=201' },
    { pointer: '/b', field: 'b', value: '2', suggestion: 'body has b matching ^[0-9]+$' },
  ]);
});

t.test('each type of value gets a suitable check', async (t) => {
  const body = {
    whole: 12,
    negative: -3,
    price: 1.5,
    exact: new Numeral('1e400'),
    yes: true,
    nothing: null,
    list: [],
    object: {},
    empty: '',
    blank: '  ',
    state: 'IN_PROGRESS',
    prose: 'The document was signed by two people.',
  };
  t.same(suggestChecks(body), {
    '/whole': 'body has whole matching ^[0-9]+$',
    '/negative': 'body has negative matching ^-?[0-9]+$',
    '/price': 'body has price matching ^-?[0-9]+(\\.[0-9]+)?$',
    '/exact': 'body has exact matching ^-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$',
    '/yes': 'body has yes equals true',
    '/nothing': 'body has nothing equals null',
    '/list': 'body has list matching ^\\[',
    '/object': 'body has object matching ^\\{',
    '/empty': 'body has empty matching ^$',
    '/blank': 'body has blank matching ^\\s+$',
    '/state': 'body has state equals IN_PROGRESS',
    '/prose': 'body has prose matching \\S',
  });
});

t.test('values that differ in every run get a pattern', async (t) => {
  const body = {
    uuid: '0b9d3c1e-5f5c-4a52-9d3a-0a1c7b1f2e3d',
    at: '2026-11-20T14:30:12.345Z',
    day: '2026-11-20',
    trace: 'tr-20261120T143012345-x7Yz',
    link: 'https://example.org/a',
    version: '1.4.2',
    sessionToken: 'abcdef',
    ownerId: 'ana',
    digest: 'deadbeef01',
  };
  for (const [pointer, suggestion] of Object.entries(suggestChecks(body))) {
    t.match(suggestion, ' matching ', pointer);
    t.notMatch(suggestion, /ana|abcdef|0b9d|x7Yz|deadbeef/);
  }
});

t.test('the first item represents a list, and shallow values come first', async (t) => {
  const items: Json[] = [
    { id: 1, inner: { deep: true } },
    { id: 2, other: 3 },
  ];
  const body = { data: items, count: 2 };
  t.same(Object.keys(suggestChecks(body)), ['/count', '/data/0/id', '/data/0/inner/deep']);
  const { unchecked } = createProof(['status=200', 'body has data[1].id equals 2'], body);
  t.same(
    unchecked.map(({ pointer }) => pointer),
    ['/count', '/data/0/inner/deep'],
    'a check of another item stands for the first',
  );
});

t.test('keys that are not plain names are formatted so that the parser reads them', async (t) => {
  const body = {
    'a b': 1,
    'c.d': 2,
    '"': 3,
    $: 4,
    '': 5,
    '[0]': 6,
    'x>y': 7,
    é: 8,
    '\n': 9,
    '\0\x7f\x9f': 12,
    '\ud800': 13,
    '`': 10,
    __proto: 11,
  };
  const suggested = Object.values(suggestChecks(body));
  t.equal(suggested.length, 13);
  for (const check of suggested) {
    const verdict = judge(createScenario(check), createEvidence({ status: 200, body }));
    t.equal(verdict.result, 'passed', check);
  }
});

t.test('the list of unchecked parts is bounded, whatever the body is', async (t) => {
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key${index}`, index]));
  t.equal(createProof(['status=200'], wide).unchecked.length, 30);
  let deep: Json = 1;
  for (let level = 0; level < 2000; level += 1) deep = { a: deep };
  t.same(createProof(['status=200'], deep).unchecked, [], 'what a check cannot name is not told');
});

t.test('a body that is not JSON has no unchecked parts', async (t) => {
  const evidence = createEvidence({ status: 200, raw: '<html>' });
  t.equal(judge(createScenario('status=200'), evidence).result, 'passed');
});

t.test('no pattern is proposed for a number that follows from others, and the reason is told', async (t) => {
  const body = { data: ['a', 'b', 'c'], count: 3, perPage: 2, totalPages: 2, id: 5, net: 20, tax: 4, total: 24 };
  const { unchecked } = createProof(['status=200'], body);
  const find = (name: string) => unchecked.find(({ pointer }) => pointer === `/${name}`);
  t.match(find('count'), { suggestion: 'body count equals count(data)', note: /^it is the number of items of data;/ });
  t.match(find('totalPages'), {
    suggestion: 'body totalPages equals ceil(count / perPage)',
    note: /^it is count \/ perPage, rounded up/,
  });
  t.match(find('total'), { suggestion: 'body total equals net + tax', note: /^it is net \+ tax/ });
  t.same(find('id')?.suggestion, 'body has id matching ^[0-9]+$', 'a number that is equal by chance');
  t.notOk(find('id')?.note);
});

t.test(
  'arithmetic that does not hold is proposed with a note, and never a pattern that the fault would pass',
  async (t) => {
    const body = { data: [{ id: 1 }, { id: 2 }], count: 5, perPage: 2, totalPages: 2 };
    const { unchecked } = createProof(['status=200'], body);
    t.match(
      unchecked.find(({ pointer }) => pointer === '/totalPages'),
      {
        suggestion: 'body totalPages equals ceil(count / perPage)',
        note: 'it should be count / perPage, rounded up, and it is not: see whether the application is wrong',
      },
    );
    const nested = createProof(['status=200'], { page: body }).unchecked;
    t.match(
      nested.find(({ pointer }) => pointer === '/page/totalPages'),
      { suggestion: 'body page.totalPages equals ceil(page.count / page.perPage)' },
    );
  },
);
