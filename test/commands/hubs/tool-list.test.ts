/** `vp hubs tool-list` and `vp tokens tool-list`: what clients list. */
import t from 'tap';
import { startSignedIn } from './signed-in-workspace.ts';

t.test('owners choose what clients of a hub list', async (t) => {
  const { vp, json, createHub } = await startSignedIn(t);
  await createHub();
  t.match(await vp(['hubs', 'tool-list', 'acme', 'search']), { code: 0, stdout: 'clients of acme search for tools\n' });
  t.match(await json('hubs', 'tool-list', 'acme', 'all'), { hub: { slug: 'acme', tool_list: 'all' } });
  t.match(await vp(['hubs', 'tool-list', 'acme', 'some']), {
    code: 2,
    stderr: /<mode> must be all or search, not `some` \(FLAG_INVALID\)/,
  });
  t.match(await vp(['hubs', 'tool-list', 'other', 'all']), { code: 2, stderr: /HUB_UNKNOWN/ });
});

t.test('a token may differ from its hub', async (t) => {
  const { vp, json, createHub } = await startSignedIn(t);
  await createHub();
  const [, id = ''] = /, id (\w+)/.exec((await vp(['tokens', 'create', 'ci', '--hub', 'acme'])).stdout) ?? [];
  t.match(await vp(['tokens', 'tool-list', id, 'search']), { code: 0 });
  t.match(await json('tokens', 'list'), { hub_tokens: [{ name: 'ci', tool_list: 'search' }] });
  t.match(await vp(['tokens', 'tool-list', id, 'none']), { code: 2, stderr: /<mode> must be .*not `none`/ });
  t.match(await vp(['tokens', 'tool-list', 'unknown', 'all']), { code: 2, stderr: /HUB_TOKEN_UNKNOWN/ });
});
