/** `dist/vp lsp` as an editor starts it: a process with the protocol on its standard streams. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import t from 'tap';
import {
  type Diagnostic,
  DidOpenTextDocumentNotification,
  ExitNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  ShutdownRequest,
} from 'vscode-languageserver-protocol';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { eventually } from '../eventually.ts';

t.test('the packed program answers an editor, also with characters of several bytes, and ends with it', async (t) => {
  const server = spawn(resolve('dist/vp'), ['lsp'], { cwd: t.testdir(), stdio: ['pipe', 'pipe', 'pipe'] });
  t.teardown(() => server.kill('SIGKILL'));
  const exited = once(server, 'exit');
  const client = createProtocolConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  const published: (readonly Diagnostic[])[] = [];
  client.onNotification(PublishDiagnosticsNotification.type, ({ diagnostics }) => void published.push(diagnostics));
  client.listen();
  const initialized = await client.sendRequest(InitializeRequest.type, {
    processId: null,
    rootUri: null,
    capabilities: {},
  });
  t.match(initialized.capabilities, { hoverProvider: true });
  const text = '# Scenario: GET zähler-日本\n\n## Metadata\n\n- ID: ä\n';
  const textDocument = { uri: 'file:///a.md', languageId: 'markdown', version: 1, text };
  await client.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
  const diagnostics = await eventually(() => published[0], { description: 'diagnostics are published' });
  t.match(
    diagnostics.find(({ code }) => code === 'SCENARIO_ID_INVALID'),
    { message: /ä/, range: { start: { line: 4, character: 6 }, end: { line: 4, character: 7 } } },
  );
  await client.sendRequest(ShutdownRequest.type);
  await client.sendNotification(ExitNotification.type);
  t.same(await exited, [0, null]);
  client.dispose();
});
