import { createElement } from 'react';
import t from 'tap';
import type { SystemState } from '../../../src/contract/system-api.ts';
import { type ApiResponses, renderConsole } from '../render-console.ts';

const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
const onPostgres: SystemState = {
  version: '0.4.0',
  store: {
    ...{ engine: 'postgresql', server_version: '15.9', connection: 'direct', notices: 'hint' },
    connections: { used: 1, open: 4, waiting: 0 },
  },
  replication: {
    ...{ id: 'east-1', epoch: 7 },
    replicas: ['east-1', 'west-2'].map((id, index) => ({
      ...{ id, version: '0.4.0', role: index === 0 ? 'active' : 'standby' },
      ...{ address: `http://10.0.0.${5 + index}:7700`, started_at: secondsAgo(7300), heartbeat_at: secondsAgo(1) },
    })),
  },
};

const renderPage = (t: Parameters<typeof renderConsole>[0], responses: ApiResponses) =>
  renderConsole(t, '/settings/system', responses, async () => {
    const { default: SettingsPage } = await import('../../../src/console/settings/settings-page.tsx');
    return createElement(SettingsPage, { pageName: 'system' });
  });

t.test('the store, and each replica with its role, version, address, start and heartbeat', async (t) => {
  const { container, until } = await renderPage(t, { 'GET /api/v1/system': onPostgres });
  await until(() => container.querySelector('table') !== null);
  t.match(container.textContent, /PostgreSQL 15\.9.*1 of 4 in use, 0 operations waiting.*hint: .*milliseconds/s);
  t.match(container.textContent, /This page comes from east-1, the active replica of term 7/);
  const rows = [...container.querySelectorAll('tbody tr')].map((row) =>
    [...row.querySelectorAll('td')].map(({ textContent }) => textContent),
  );
  t.same(rows, [
    ['east-1', 'active', '0.4.0', 'http://10.0.0.5:7700', '2 h ago', 'just now'],
    ['west-2', 'standby', '0.4.0', 'http://10.0.0.6:7700', '2 h ago', 'just now'],
  ]);
  t.notMatch(container.textContent, /take over\. Start another/);
});

t.test('a single replica is said to have no successor', async (t) => {
  const { replication } = onPostgres;
  const single = replication && { ...replication, replicas: replication.replicas.slice(0, 1) };
  const { container, until } = await renderPage(t, { 'GET /api/v1/system': { ...onPostgres, replication: single } });
  await until(() => container.querySelector('table') !== null);
  t.match(container.textContent, /no replica that could take over.*vp serve --database-file/s);
});

t.test('with SQLite there is one line, and no list of replicas', async (t) => {
  const store = { engine: 'sqlite', server_version: null };
  const { container, until } = await renderPage(t, {
    'GET /api/v1/system': { version: '0.4.0', store, replication: null },
  });
  await until(() => /SQLite, in the data folder/.test(container.textContent));
  t.equal(container.querySelector('table'), null);
});

t.test('an error says how to fix it', async (t) => {
  const { container, until } = await renderPage(t, {});
  await until(() => container.querySelector('[role=alert]') !== null);
  t.match(container.textContent, /CONTROL_PLANE_ANSWER_UNEXPECTED.*Try again/);
});
