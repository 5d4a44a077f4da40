import t from 'tap';
import { kinds } from '../../src/check/kinds.ts';
import { workspace } from './workspace.ts';

t.test('the guide names every check', async (t) => {
  const house = workspace(t, 'http://127.0.0.1:1');
  const { code, stdout } = await house.vp(['guide']);
  t.equal(code, 0);
  for (const { form } of kinds) t.ok(stdout.includes(form), form);
  t.match(JSON.parse((await house.vp(['guide', '--json'])).stdout), { guide: /TRIGGER/ });
});
