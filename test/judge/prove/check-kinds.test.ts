/** Checks of lists, arithmetic, headers, cookies, redirects and time are shown able to fail. */
import t from 'tap';
import { emptyObservation } from '../../../src/check/observation.ts';
import { judge } from '../../../src/judge/judge.ts';
import type { Proof } from '../../../src/judge/prove/proof.ts';
import { prove } from '../../../src/judge/prove/prove.ts';
import { toObservation } from '../../../src/judge/to-observation.ts';
import type { HeaderList } from '../../../src/run/evidence.ts';
import { createEvidence, createScenario } from '../evidence-fixtures.ts';
import { createProof, getOnlyCheck } from './proof-fixtures.ts';

const page = {
  data: [
    { id: 1, price: 5, tags: ['a'] },
    { id: 2, price: 7, tags: ['b'] },
  ],
  count: 2,
  perPage: 25,
  totalPages: 1,
};

function proveHead(check: string, headers: HeaderList, status = 200): Proof {
  const evidence = createEvidence({ status, headers, body: {} });
  return prove(judge(createScenario(check), evidence), toObservation(evidence));
}

t.test('a check of the body that holds is shown able to fail', async (t) => {
  for (const text of [
    'body every data.id matching ^[0-9]+$',
    'body every data.id',
    'body some data.price equals 7',
    'body has no password',
    'body has no data.password',
    'body data length = 2',
    'body sorted by data.price',
    'body unique data.id',
    'body totalPages equals ceil(count / perPage)',
    'body count equals count(data)',
    'body count * 6 = sum(data.price)',
  ]) {
    const check = getOnlyCheck(createProof([text], page));
    t.match(check, { verdict: 'proven', example: String }, text);
  }
});

t.test('a check of the head is shown able to fail', async (t) => {
  const headers: HeaderList = [
    ['Content-Type', 'application/json'],
    ['Set-Cookie', 'session=x; HttpOnly'],
    ['Location', '/login'],
  ];
  for (const text of [
    'header Content-Type',
    'header Content-Type containing json',
    'header Server absent',
    'cookie session',
    'cookie session HttpOnly',
    'cookie session Secure absent',
    'cookie other absent',
    'status=2xx',
  ]) {
    t.match(getOnlyCheck(proveHead(text, headers)), { verdict: 'proven' }, text);
  }
  t.match(getOnlyCheck(proveHead('redirect to /login', headers, 302)), { verdict: 'proven' });
  t.match(getOnlyCheck(proveHead('header Content-Type matching .*', headers)), { verdict: 'never_fails' });
});

t.test('a check of a text that is not JSON is shown able to fail', async (t) => {
  const text = '<h1>Orders</h1>';
  const observation = {
    ...emptyObservation,
    status: 200,
    body: { kind: 'not_json', problem: '', excerpt: text, text } as const,
  };
  for (const check of ['body text containing Orders', 'body text equals <h1>Orders</h1>', 'body text matching ^<h1>']) {
    const [entry] = createScenario(check).checks;
    const judged = entry
      ? [{ ...entry, counted: true, outcome: entry.definition.judge(entry.check, observation) }]
      : [];
    t.match(getOnlyCheck(prove({ result: 'passed', checks: judged }, observation)), { verdict: 'proven' }, check);
  }
});

t.test('a bound on the time is shown able to fail', async (t) => {
  t.match(getOnlyCheck(proveHead('duration <= 60s', [])), {
    verdict: 'proven',
    example: 'the duration is longer than the limit',
  });
});

t.test('values that a check of a list or of arithmetic looks at are not proposed again', async (t) => {
  const { unchecked } = createProof(
    ['body every data.id matching ^[0-9]+$', 'body totalPages equals ceil(count / perPage)'],
    page,
  );
  const pointers = unchecked.map(({ pointer }) => pointer);
  for (const pointer of ['/data/0/id', '/count', '/perPage', '/totalPages'])
    t.notOk(pointers.includes(pointer), pointer);
  t.ok(pointers.includes('/data/0/price'));
});
