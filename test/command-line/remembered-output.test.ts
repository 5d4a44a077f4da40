import t from 'tap';
import type { ValueOrigin } from '../../src/command-line/inherited-values.ts';
import { nameRememberedValues } from '../../src/command-line/remembered-output.ts';

const instance: ValueOrigin = { name: 'instance', value: 'shop', source: 'folder', label: 'a folder' };

function write(origins: readonly ValueOrigin[], ...texts: readonly string[]): string {
  const written: string[] = [];
  const sink = nameRememberedValues({ write: (text: string) => written.push(text) }, origins);
  for (const text of texts) sink.write(text);
  return written.join('');
}

t.test('the first document of several has the member, and keeps its form', async (t) => {
  const output = write([instance], '{"event":"one"}\n', '{"event":"two"}\n');
  t.same(
    output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
    [{ used: { instance: { id: 'shop', source: 'folder' } }, event: 'one' }, { event: 'two' }],
  );
  const indented = write([instance], `${JSON.stringify({ runs: [1] }, null, 2)}\n`);
  t.match(indented, /^\{\n {2}"used": \{.*\},\n {2}"runs": \[/);
  t.same(JSON.parse(indented).runs, [1]);
});

t.test('other values and other texts are left as they are', async (t) => {
  for (const source of ['flag', 'variable', 'default'] as const)
    t.equal(write([{ ...instance, source }], '{"a":1}\n'), '{"a":1}\n', source);
  t.equal(write([instance], '{}\n'), '{}\n');
  t.equal(write([instance], 'text {"a":1}\n'), 'text {"a":1}\n');
});
