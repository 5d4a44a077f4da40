/** The commands of docs/how-to/registry.md as they stand there, against a registry behind TLS and a real name server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startControlPlane } from '../../src/assemble/control-plane/control-plane.ts';
import { createGuardedFetch } from '../../src/outbound/guarded-fetch.ts';
import { createWorkspace } from '../commands/test-workspace.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { startNameServer } from '../registry/name-server.ts';
import { startTlsGateway } from '../registry/tls-gateway.ts';
import { listCodeLines, splitWords } from './page-commands.ts';

const page = readFileSync('docs/how-to/registry.md', 'utf8');

t.test('every command of the page succeeds, in its order', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:9');
  const names = await startNameServer(t);
  const front = await startTlsGateway(t, workspace.folder, ['localhost']);
  const registry = `https://localhost:${front.port}`;
  const { environment } = memoryEnvironment();
  const plane = await startControlPlane({
    ...{ environment, folder: join(workspace.folder, 'plane'), host: '127.0.0.1', port: 0 },
    publicUrl: new URL(registry),
    registry: { settings: { domains: ['example.com'] }, resolvers: [names.address] },
    log: { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} },
  });
  t.teardown(() => plane.close());
  front.setTarget(plane.url);

  const lines = listCodeLines(page).filter((line) => line.startsWith('vp registry '));
  t.ok(lines.length >= 6, `${lines.length} commands`);
  for (const line of lines) {
    const [command = '', file] = line.replaceAll('https://registry.example.net', registry).split(' > ');
    // The page means the name servers of the machine; these are the test's.
    const resolver = /registry (check|publish|status) /.test(command) ? ['--resolver', names.address] : [];
    const args = [...splitWords(command).slice(1), ...resolver];
    const { code, stdout, stderr } = await workspace.vp(args, { variables: { VP_CA: front.root.file } });
    t.equal(code, 0, `${line}\n${stderr}${code === 0 ? '' : stdout}`);
    if (file !== undefined) workspace.write(file, stdout);
    const record = /v=MCPv1; k=\w+; p=[\w+/=]+/.exec(stdout)?.[0];
    if (record !== undefined) names.records.set('example.com', [[record]]);
  }

  const { fetch, close } = createGuardedFetch({
    ...{ allowPrivate: true, extraRoots: [front.root.cert], variables: {}, answerLimitBytes: 1e6 },
  });
  t.teardown(close);
  const servers = await (await fetch(`${registry}/v0/servers?search=hub`)).text();
  t.match(servers, /com\.example\/hub[\s\S]*deprecated/);
});
