/** Which origins `vp serve --allow-origin` takes. */
import t from 'tap';
import { allowedOrigins } from '../../../src/commands/serve/origin-flags.ts';
import { workspace } from '../workspace.ts';

t.test('origins are taken as browsers send them', async (t) => {
  const origins = ['https://inspector.example', 'http://localhost:6274', 'https://tools.example:8443'];
  t.same(allowedOrigins({ 'allow-origin': origins }), origins);
  t.same(allowedOrigins({ 'allow-origin': [] }), []);
});

t.test('anything else is refused with the right way of writing it: FLAG_INVALID', async (t) => {
  const wrong: readonly (readonly [text: string, right: string])[] = [
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
  for (const [text, right] of wrong) {
    const take = () => allowedOrigins({ 'allow-origin': ['https://fine.example', text] });
    t.throws(take, { code: 'FLAG_INVALID', message: `names one origin exactly as browsers send it, such as ${right}` });
  }
});

t.test('the command says so before anything is opened, and its help names the flag', async (t) => {
  const house = workspace(t, 'http://127.0.0.1:1');
  const { code, stderr } = await house.vp(['serve', '--port', '0', '--allow-origin', '*']);
  t.equal(code, 2);
  t.match(stderr, /--allow-origin names one origin exactly/);
  t.match((await house.vp(['serve', '--help'])).stdout, /--allow-origin +scripts of pages of this origin/);
});
