/** Checks of the elements of lists, of absence, length, order and uniqueness. */
import t from 'tap';
import type { Json } from '../../../src/check/json/json.ts';
import { emptyObservation } from '../../../src/check/observation.ts';
import { holds, judge, judgeCheck, parse, parseValid } from '../check-fixtures.ts';

const page = {
  data: [
    { id: 1, price: 5, tags: ['a', 'b'], owner: { name: 'Ann' } },
    { id: 2, price: 7, tags: [], owner: { name: 'Ben' } },
    { id: 3, price: 7, tags: ['b'], owner: { name: 'Cid' } },
  ],
  empty: [],
  count: 3,
};

t.test('every element is tested, through lists on the path and at its end', async (t) => {
  for (const text of [
    'body every data.id matching ^[0-9]+$',
    'body every data.owner.name',
    'body every data.tags matching ^[ab]$',
    'body every data.price > 4',
    'body some data.price equals 5',
    'body some data.tags containing a',
  ]) {
    t.ok(holds(text, page), text);
  }
  t.ok(holds('body every id > 0', page.data), 'the body itself is the list');
  t.match(judge('body every data.price equals 7', page), {
    passed: false,
    expected: 'every `data.price` exactly 7',
    actual: '5 at `data[0].price`, element 1 of 3',
    pointer: '/data/0/price',
  });
  t.match(judge('body some data.price > 7', page), { passed: false, actual: /^none of 3, such as 5/ });
});

t.test('an element without the field fails, and the outcome says which', async (t) => {
  t.match(judge('body every data.name', page), {
    passed: false,
    actual: /^no field `name` in `data\[0\]`; there are: id, price, tags, owner, and 2 more without it$/,
  });
});

t.test('an empty list is not green by silence', async (t) => {
  t.match(judge('body every empty.id > 0', page), {
    passed: false,
    actual: /`empty` is an empty list, so nothing shows/,
  });
  t.ok(holds('body every or none empty.id > 0', page));
  t.notOk(holds('body every or none data.id > 1', page));
  t.notOk(holds('body every or none missing.id > 1', page));
  t.notOk(holds('body some empty.id', page));
});

t.test('a path without a list is refused by the judge, never passed', async (t) => {
  t.match(judge('body every count', page), { passed: false, actual: 'no list: `count` is 3' });
  t.match(judge('body some count', page), { passed: false, actual: 'no list: `count` is 3' });
  t.match(judgeCheck(parseValid('body every data'), emptyObservation), { passed: false, actual: 'an empty body' });
});

t.test('a field is absent in every object of the path', async (t) => {
  t.ok(holds('body has no password', page));
  t.ok(holds('body has no data.password', page));
  t.ok(holds('body has no data.owner.email', page));
  t.notOk(holds('body has no count', { count: null }), 'null is a value');
  t.match(judge('body has no data.price', page), {
    passed: false,
    expected: 'no field `data.price`',
    actual: '5 at `data[0].price`, and 2 more',
  });
  t.notOk(holds('body has no data.tags', { data: [{ tags: [] }] }), 'an empty list is a value');
  t.notOk(holds('body has no a.b', { 'a.b': 1, a: {} }), 'a key with a dot');
});

t.test('absence holds only where something could have the field', async (t) => {
  t.match(judge('body has no dta.password', page), { passed: false, actual: /^no field `dta`/ });
  t.match(judge('body has no empty.password', page), { passed: false, actual: /empty list/ });
  t.match(judge('body has no count.password', page), { passed: false, actual: '`count` is 3, which has no fields' });
  t.notOk(judgeCheck(parseValid('body has no password'), emptyObservation).passed);
});

t.test('a field named `no` keeps its checks', async (t) => {
  t.equal(parseValid('body has no').kind, 'exists');
  t.equal(parseValid('body has no matching ^1$').kind, 'matches');
  t.equal(parseValid('body has no equals 1').kind, 'equals');
  t.equal(parseValid('body has no > 1').kind, 'compares');
});

t.test('the length of lists, texts and objects is compared', async (t) => {
  t.ok(holds('body data length = 3', page));
  t.ok(holds('body data length >= 3', page));
  t.ok(holds('body data[0].owner length = 1', page));
  t.ok(holds('body name length=2', { name: 'né' }));
  t.ok(holds('body length < 3', [1, 2]));
  t.match(judge('body data length = 2', page), { passed: false, actual: '3 elements', pointer: '/data' });
  t.match(judge('body count length = 1', page), { passed: false, actual: '3 has no length' });
  t.match(judge('body dta length = 1', page), { passed: false, actual: /^no field `dta`/ });
  t.equal(parseValid('body has length equals 3').kind, 'equals', 'a field of that name');
});

t.test('an order is shown by at least two elements', async (t) => {
  t.ok(holds('body sorted by data.id', page));
  t.ok(holds('body sorted by data.price asc', page));
  t.ok(holds('body sorted by at desc', [{ at: '2026-02-01' }, { at: '2026-01-01' }]));
  t.ok(holds('body sorted by n', [{ n: 9 }, { n: 10 }]), 'numbers by value');
  t.match(judge('body sorted by data.id desc', page), { passed: false, actual: '1 before 2 at `data[1].id`' });
  t.match(judge('body sorted by n', [{ n: 1 }]), { passed: false, actual: /^only one element/ });
  t.match(judge('body sorted by n', [{ n: 1 }, { n: 'x' }]), { passed: false, actual: /which cannot be compared$/ });
  t.notOk(holds('body sorted by n', []));
});

t.test('a repeated value is not unique', async (t) => {
  t.ok(holds('body unique data.id', page));
  t.ok(holds('body unique n', [{ n: 1 }, { n: '1' }]), 'a text is not a number');
  t.match(judge('body unique data.price', page), { passed: false, actual: '7 at `data[1].price` and `data[2].price`' });
  t.match(judge('body unique n', [{ n: 1 }]), { passed: false, actual: /^only one element/ });
});

t.test('where numbers are not compared, the layer that compares them is named', async (t) => {
  for (const text of ['body data length >= 1', 'body every data.price > 0', 'body totalPages * perPage >= count']) {
    t.match(parse(text).problems, [['SCENARIO_CHECK_COMPARISON', /^>/, /`- Layer: HTTP Ingestion \+ Log`/]], text);
  }
  for (const text of ['body data length = 1', 'body every data.price equals 1', 'body a equals b']) {
    t.same(parse(text).problems, [], text);
  }
});

t.test('malformed checks are answered with the correct one', async (t) => {
  const slips: Readonly<Record<string, string>> = {
    'body has data length = 3': 'body data length = 3',
    'body has data.length = 3': 'body data length = 3',
    'body data has length 3': 'body data length = 3',
    'body has 3 data': 'body data length = 3',
    'body lacks password': 'body has no password',
    'body does not have password': 'body has no password',
    'body not has password': 'body has no password',
    'body has not password': 'body has no password',
    'body all data.id > 0': 'body every data.id > 0',
    'body each data.id > 0': 'body every data.id > 0',
    'body any data.id > 0': 'body some data.id > 0',
    'body has every data.id > 0': 'body every data.id > 0',
    'body data sorted by id': 'body sorted by data.id',
    'body data.id unique': 'body unique data.id',
  };
  for (const [text, right] of Object.entries(slips)) {
    t.match(parse(text, 'allowed').problems, [['SCENARIO_CHECK_UNKNOWN', String, `did you mean \`${right}\`?`]], text);
    t.ok(parseValid(right), right);
  }
});

t.test('lists within lists are opened to a depth, and deeper ones fail', async (t) => {
  const nest = (depth: number): Json => (depth === 0 ? { id: 1 } : [nest(depth - 1)]);
  t.ok(holds('body every id equals 1', nest(20)));
  t.match(judge('body every id equals 1', nest(500)), { passed: false, actual: /^no field `id`/ });
});
