/** The packed binary moves the write-ahead log of its audit in a thread, whose code and addon it carries. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hubWith, ownerAt } from '../bench/hub.ts';
import { eventually } from '../eventually.ts';
import { createRawServer, createTextResult, createTool } from '../hub/fixtures/raw-server.ts';
import { startTestServer } from '../hub/fixtures/test-server.ts';
import { listeningUrl, sandboxTest } from './sandbox.ts';

/** Each call takes some 70 kB of the log, which is moved from 16 MB on; within a commit only from 64 MB on. */
const calls = 400;
const movedBytes = 1_000_000;
const texts = Array.from({ length: 7 }, () => 'long '.repeat(400));

const params = {
  name: 'c0__echo',
  arguments: { texts },
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'caller', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
};

sandboxTest('the log of the audit is moved to its file while calls go on', async (t, sandbox) => {
  const upstream = await startTestServer(
    t,
    createRawServer({ tools: () => [createTool('echo')], call: () => createTextResult('hello') }),
  );
  const data = join(sandbox.folder, 'plane');
  // With a commit for each call the log grows to its size with few of them.
  const flags = ['--allow-private-upstreams', '--audit-strict'];
  const plane = sandbox.vp(['serve', '--json', '--port', '0', '--data', data, ...flags]);
  const url = await listeningUrl(plane);
  const line = plane.stdout.split('\n').find((part) => part.includes('"setup_link_file"')) ?? '{}';
  const startInfo: { setup_link_file: string } = JSON.parse(line);
  const owner = await ownerAt({
    startInfo: { ...startInfo, url },
    readyMs: 0,
    memoryMb: () => undefined,
    stop: async () => {},
  });
  const token = await hubWith(owner, 'acme', [upstream.url]);
  const headers = {
    ...{ 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    ...{ 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': params.name },
    Authorization: `Bearer ${token}`,
  };
  for (let id = 0; id < calls; id += 1) {
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
    const response = await fetch(`${url}/agent/mcp`, { method: 'POST', headers, body });
    t.match(await response.text(), '"hello"');
  }
  const file = join(data, 'audit.db');
  await eventually(() => statSync(file).size > movedBytes, { description: 'the pages of the log are in the file' });
  plane.signal('SIGTERM');
  t.equal((await plane.ended).code, 0);
  t.notOk(readdirSync(data).includes('audit.db-wal'), 'it was closed in order');
  t.match((await sandbox.run(['audit', 'verify', '--data', data])).stdout, /✓ acme: 40\d entries/);
});
