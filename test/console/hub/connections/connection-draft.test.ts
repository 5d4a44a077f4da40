import t from 'tap';
import {
  createConnectionDraft,
  suggestName,
  toNewConnection,
  toProbeRequest,
} from '../../../../src/console/hub/connections/connection-draft.ts';

t.test('a request contains only filled fields, and omits an unchanged credential', async (t) => {
  const draft = { ...createConnectionDraft(undefined), name: 'weather', target: 'https://tools.example.com/mcp' };
  const url = { name: 'weather', kind: 'http', url: 'https://tools.example.com/mcp' };
  t.same(toNewConnection(draft), { ...url, credential: { kind: 'none' } });
  t.same(toNewConnection({ ...draft, credential: 'unchanged', value: 'x' }), url);
  t.same(toNewConnection({ ...draft, credential: 'header', value: 'Bearer x' }).credential, {
    kind: 'header',
    header: 'Authorization',
    value: 'Bearer x',
  });
  t.same(toNewConnection({ ...draft, credential: 'oauth', sharing: 'per_user' }).credential, {
    kind: 'oauth',
    sharing: 'per_user',
  });
  t.same(toNewConnection({ ...draft, kind: 'stdio', target: 'git' }), {
    name: 'weather',
    kind: 'stdio',
    command: 'git',
  });
  t.same(toNewConnection({ ...draft, kind: 'memory', name: 'memory' }), { name: 'memory', kind: 'memory' });
  t.same(toProbeRequest(draft), { kind: 'http', url: url.url, credential: { kind: 'none' } }, 'a probe needs no name');
});

t.test('a name is suggested from the name the server reports, otherwise from its address', async (t) => {
  const serverAt = (target: string, kind: 'http' | 'stdio' | 'memory' = 'http') => ({ kind, target });
  t.equal(suggestName('GitHub MCP Server', serverAt('https://x.example.com')), 'github');
  t.equal(suggestName('@acme/Weather_Service!', serverAt('https://x.example.com')), 'acme-weather');
  t.equal(suggestName('MCP', serverAt('https://x.example.com')), 'mcp', 'better than nothing');
  t.equal(suggestName(undefined, serverAt('https://tools.example.com/mcp')), 'example');
  t.equal(suggestName(undefined, serverAt('http://localhost:3000/mcp')), 'localhost');
  t.same(
    [suggestName(undefined, serverAt('http://127.0.0.1:3/')), suggestName(undefined, serverAt('http://[::1]/'))],
    ['', ''],
  );
  t.equal(suggestName(undefined, serverAt('git', 'stdio')), 'git');
  t.equal(suggestName('whatever', serverAt('', 'memory')), 'memory');
  t.equal(suggestName('an exceedingly long name of a server', serverAt('')).length <= 24, true);
  t.equal(suggestName('!!!', serverAt('no address')), '');
});
