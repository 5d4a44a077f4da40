import t from 'tap';
import { formatScenario } from '../../src/scenario/format.ts';
import { hideOwnership } from '../../src/scenario/metadata.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import { createScenarioText } from '../control/report-fixture.ts';

const withEntries = (entries: string): string => createScenarioText().replace(/(- Layer: .*\n)/, `$1${entries}\n`);

function read(text: string) {
  const codes: string[] = [];
  const scenario = parseScenario(text, { variables: 'any' }, ({ code }) => codes.push(code));
  return { scenario, codes };
}

t.test('a scenario says who looks after it, and what to read', async (t) => {
  const text = withEntries('- **Owner**: checkout team\n- Links: https://wiki.example/a?b=c, <http://runbook.example>');
  const { scenario, codes } = read(text);
  t.same(codes, []);
  t.match(scenario, { owner: 'checkout team', links: ['https://wiki.example/a?b=c', 'http://runbook.example'] });
  const formatted = formatScenario(text, { variables: 'any' }, () => {}) ?? '';
  t.match(formatted, '- Owner: checkout team\n- Links: https://wiki.example/a?b=c http://runbook.example\n');
  t.match(read(withEntries('- Owner:')), { codes: [], scenario: { owner: undefined } });
});

t.test('owners are short, and links are addresses of the web', async (t) => {
  t.same(read(withEntries(`- Owner: ${'x'.repeat(101)}`)).codes, ['SCENARIO_OWNER_INVALID']);
  t.same(read(withEntries('- Links: javascript:alert(1) wiki')).codes, [
    'SCENARIO_LINK_INVALID',
    'SCENARIO_LINK_INVALID',
  ]);
  const many = Array.from({ length: 11 }, (_, index) => `https://wiki.example/${index}`).join(' ');
  t.same(read(withEntries(`- Links: ${many}`)).codes, ['SCENARIO_LINK_INVALID']);
});

t.test('an executor that does not know them gets the other lines in their places', async (t) => {
  const text = withEntries('* __Owner__: x\n- links: https://wiki.example');
  const hidden = hideOwnership(text);
  t.match(
    hideOwnership(`${text}
- Owner: in a body
`),
    '- Owner: in a body',
  );
  t.equal(hidden.split('\n').length, text.split('\n').length);
  t.notMatch(hidden, /owner|links/i);
  const [before, after] = [read(text).scenario, read(hidden).scenario];
  t.same(
    after?.checks.map(({ range }) => range.start.line),
    before?.checks.map(({ range }) => range.start.line),
  );
});
