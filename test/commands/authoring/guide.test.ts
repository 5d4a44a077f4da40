import t from 'tap';
import { checkKinds } from '../../../src/check/kinds.ts';
import { createWorkspace } from '../test-workspace.ts';

t.test('the guide names every check', async (t) => {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:1');
  const { code, stdout } = await testWorkspace.vp(['guide']);
  t.equal(code, 0);
  for (const { form } of checkKinds) t.ok(stdout.includes(form), form);
  t.match(JSON.parse((await testWorkspace.vp(['guide', '--json'])).stdout), { guide: /TRIGGER/ });
});
