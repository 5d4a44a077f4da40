/** Which origins `vp serve --allow-origin` accepts. */
import t from 'tap';
import { parseAllowedOrigins } from '../../../src/commands/serve/origin-flags.ts';
import { createWorkspace } from '../test-workspace.ts';

t.test('origins are accepted as browsers send them', async (t) => {
  const origins = ['https://inspector.example', 'http://localhost:6274', 'https://tools.example:8443'];
  t.same(parseAllowedOrigins({ 'allow-origin': origins }), origins);
  t.same(parseAllowedOrigins({ 'allow-origin': [] }), []);
});

t.test('anything else is refused with the right notation: FLAG_INVALID', async (t) => {
  const invalidOrigins: readonly (readonly [text: string, right: string])[] = [
    ['*', 'https://inspector.example'],
    ['null', 'https://inspector.example'],
    ['', 'https://inspector.example'],
    ['inspector.example', 'https://inspector.example'],
    ['https://*.example', 'https://inspector.example'],
    ['file:///page.html', 'https://inspector.example'],
    ['chrome-extension://abcdef', 'https://inspector.example'],
    ['https://tools.example/', 'https://tools.example,'],
    ['https://Tools.example', 'https://tools.example,'],
    ['https://tools.example:443', 'https://tools.example,'],
    ['https://tools.example/path', 'https://tools.example,'],
    ['https://me@tools.example', 'https://tools.example,'],
  ];
  for (const [text, suggestion] of invalidOrigins) {
    const parse = () => parseAllowedOrigins({ 'allow-origin': ['https://fine.example', text] });
    t.throws(parse, {
      code: 'FLAG_INVALID',
      message: `must be one origin exactly as browsers send it, such as ${suggestion}`,
    });
  }
});

t.test('the error comes before anything is opened, and the help names the flag', async (t) => {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:1');
  const { code, stderr } = await testWorkspace.vp(['serve', '--port', '0', '--allow-origin', '*']);
  t.equal(code, 2);
  t.match(stderr, /--allow-origin must be one origin exactly/);
  t.match((await testWorkspace.vp(['serve', '--help'])).stdout, /--allow-origin <origin>… +let scripts of this origin/);
});
