/** `vp lsp` with the client of the protocol’s own library, over two streams. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import {
  type CodeAction,
  CodeActionRequest,
  CompletionRequest,
  DefinitionRequest,
  type Diagnostic,
  DidChangeTextDocumentNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DocumentFormattingRequest,
  ExitNotification,
  HoverRequest,
  InitializeRequest,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  type TextEdit,
} from 'vscode-languageserver-protocol';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { createWorkspace, scenarioText } from '../commands/test-workspace.ts';
import { eventually } from '../eventually.ts';

async function startEditor(t: Test) {
  const { folder, start } = createWorkspace(t, 'http://127.0.0.1:9');
  const [toServer, toEditor] = [new PassThrough(), new PassThrough()];
  const { ended } = start(['lsp', '--stdio'], {
    stdin: toServer,
    stdout: { write: (text: string) => toEditor.write(text) },
  });
  const client = createProtocolConnection(new StreamMessageReader(toEditor), new StreamMessageWriter(toServer));
  const published = new Map<string, readonly Diagnostic[]>();
  client.onNotification(
    PublishDiagnosticsNotification.type,
    ({ uri, diagnostics }) => void published.set(uri, diagnostics),
  );
  client.listen();
  const capabilities = { textDocument: { completion: { completionItem: { snippetSupport: true } } } };
  const { capabilities: served, serverInfo } = await client.sendRequest(InitializeRequest.type, {
    processId: null,
    rootUri: null,
    capabilities,
  });
  const uri = pathToFileURL(join(folder, 'scenarios', 'a.md')).href;
  mkdirSync(join(folder, 'scenarios'), { recursive: true });
  const open = async (text: string): Promise<readonly Diagnostic[]> => {
    published.delete(uri);
    await client.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { uri, languageId: 'markdown', version: 1, text },
    });
    return eventually(() => published.get(uri), { description: 'diagnostics are published' });
  };
  const change = async (text: string): Promise<readonly Diagnostic[]> => {
    published.delete(uri);
    await client.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version: 2 },
      contentChanges: [{ text }],
    });
    return eventually(() => published.get(uri), { description: 'diagnostics are published' });
  };
  const end = async (): Promise<number> => {
    await client.sendRequest(ShutdownRequest.type);
    await client.sendNotification(ExitNotification.type);
    const code = await ended;
    client.dispose();
    return code;
  };
  return { client, served, serverInfo, uri, open, change, end, published, folder };
}

/** The position of `|` in a text, and the text without it. */
function locate(marked: string) {
  const offset = marked.indexOf('¦');
  const text = marked.slice(0, offset) + marked.slice(offset + 1);
  return { text, position: TextDocument.create('', '', 1, text).positionAt(offset) };
}

const applyEdits = (text: string, edits: readonly TextEdit[] | null | undefined): string =>
  TextDocument.applyEdits(TextDocument.create('', '', 1, text), [...(edits ?? [])]);

t.test('an editor gets the problems of a scenario with their fix, and none of other Markdown', async (t) => {
  const { open, change, end, client, uri, published, served, serverInfo } = await startEditor(t);
  t.match(served, { hoverProvider: true, documentFormattingProvider: true });
  t.match(serverInfo, { name: 'vp' });
  const text = scenarioText('RT-1', { checks: ['status=200', 'body has count matching ['] });
  t.match(await open(text), [
    { severity: 1, source: 'vp', code: 'SCENARIO_CHECK_PATTERN', message: /\nFix: /, range: { start: { line: 18 } } },
  ]);
  t.same(await change(scenarioText('RT-1')), []);
  t.same(await change('# Notes\n\n- status=\n'), []);
  await client.sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri } });
  await eventually(() => published.get(uri)?.length === 0, { description: 'the problems of a closed file are gone' });
  t.equal(await end(), 0);
});

t.test('changes of a part of the text arrive at the right position', async (t) => {
  const { open, client, uri, end, published } = await startEditor(t);
  await open(scenarioText('RT-1'));
  published.delete(uri);
  const range = { start: { line: 17, character: 9 }, end: { line: 17, character: 12 } };
  await client.sendNotification(DidChangeTextDocumentNotification.type, {
    textDocument: { uri, version: 2 },
    contentChanges: [{ range, text: '99' }],
  });
  const diagnostics = await eventually(() => published.get(uri), { description: 'diagnostics are published' });
  t.match(diagnostics, [{ code: 'SCENARIO_CHECK_STATUS', range: { start: { line: 17 } } }]);
  t.equal(await end(), 0);
});

t.test('completion continues what is written, with fields to fill in', async (t) => {
  const { open, client, uri, end } = await startEditor(t);
  const { text, position } = locate(scenarioText('RT-1', { checks: ['status=200', 'body has no¦'] }));
  await open(text);
  const result = await client.sendRequest(CompletionRequest.type, { textDocument: { uri }, position });
  const items = Array.isArray(result) ? result : (result?.items ?? []);
  const item = items.find(({ label }) => label === 'body has no <field>');
  t.match(item, {
    insertTextFormat: 2,
    textEdit: { newText: 'body has no ${1:field}' },
    detail: /no object on the path/,
  });
  t.equal(await end(), 0);
});

t.test('hover explains checks, sections, keys, placeholders and captures', async (t) => {
  const { open, client, uri, end } = await startEditor(t);
  const withSteps = scenarioText('RT-1', {
    path: '/x/${id}',
    checks: ['status=200', 'body has id equals ${id}'],
  }).replace('## TRIGGER', '## STEPS\n\n### create\n\nPOST ${INGESTION_URL}/x\n\n- capture id = body.id\n\n## TRIGGER');
  await open(withSteps);
  const hover = async (marked: string): Promise<string> => {
    const offset = withSteps.indexOf(marked) + 2;
    const position = TextDocument.create('', '', 1, withSteps).positionAt(offset);
    const result = await client.sendRequest(HoverRequest.type, { textDocument: { uri }, position });
    return JSON.stringify(result?.contents ?? null);
  };
  t.match(await hover('body has id'), /Holds when the value is exactly this/);
  t.match(await hover('## TRIGGER'), /required.*the request that is judged/);
  t.match(await hover('- Layer'), /what its checks may look at/);
  t.match(await hover('${correlation_id}'), /the correlation id of the run/);
  t.match(await hover('${id}'), /captured in line 15/);
  t.match(await hover('capture id'), /a value of the JSON body/);
  t.equal(await hover('# Scenario'), 'null');
  t.equal(await end(), 0);
});

t.test('quick fixes and formatting change the text as the product does', async (t) => {
  const { open, client, uri, end } = await startEditor(t);
  const text = scenarioText('RT-1', { checks: ['status=200', 'body haz count'] });
  const diagnostics = await open(text);
  const [range] = diagnostics.map((diagnostic) => diagnostic.range);
  if (!range) throw new Error('there is a problem');
  const actions = await client.sendRequest(CodeActionRequest.type, {
    textDocument: { uri },
    range,
    context: { diagnostics: [...diagnostics] },
  });
  const [action] = (actions ?? []) as CodeAction[];
  t.match(action, { kind: 'quickfix', isPreferred: true, diagnostics: [{ code: 'SCENARIO_CHECK_UNKNOWN' }] });
  t.match(applyEdits(text, action?.edit?.changes?.[uri]), '- body has count\n');

  const formatting = async () =>
    client.sendRequest(DocumentFormattingRequest.type, {
      textDocument: { uri },
      options: { tabSize: 2, insertSpaces: true },
    });
  t.same(await formatting(), [], 'a scenario with errors is not formatted');
  await client.sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri } });
  const untidy = scenarioText('RT-1')
    .replace('- ID: RT-1\n', '*  id:   RT-1\n')
    .replace('\n\n## TRIGGER', '\n## TRIGGER');
  await open(untidy);
  t.equal(applyEdits(untidy, await formatting()), scenarioText('RT-1'));
  t.equal(await end(), 0);
});

t.test('definitions lead to the capture, and to the file of use:', async (t) => {
  const { open, client, uri, end, folder } = await startEditor(t);
  const used =
    '# Scenario: POST login\n\n## Metadata\n\n- ID: LOGIN\n- Layer: HTTP Ingestion\n\n## STEPS\n\n### log in\n\nPOST ${INGESTION_URL}/login\n\n- capture token = body.token\n\n## TRIGGER\n\nGET ${INGESTION_URL}/me\nX-Request-Id: ${correlation_id}\n\n## EXPECT\n\n### Runnable\n\n- status=200\n';
  writeFileSync(join(folder, 'scenarios', 'login.md'), used);
  const text = scenarioText('RT-1', { path: '/x?token=${token}' })
    .replace(
      '## TRIGGER',
      '## STEPS\n\nuse: login.md\n\n### look\n\nGET ${INGESTION_URL}/y/${token}\n\n- capture name = header X-Name\n\n## TRIGGER',
    )
    .replace('5s', '5s\n\n<!-- ${name} -->');
  t.same(await open(text), [], 'captures of the used file are known');
  const define = async (marked: string) => {
    const position = TextDocument.create('', '', 1, text).positionAt(text.indexOf(marked) + 3);
    return client.sendRequest(DefinitionRequest.type, { textDocument: { uri }, position });
  };
  t.match(await define('use: login'), { uri: pathToFileURL(join(folder, 'scenarios', 'login.md')).href });
  t.match(await define('${name}'), { uri, range: { start: { line: 16 } } });
  t.equal(await end(), 0);
});

t.test('an editor that goes away without a farewell ends the server', async (t) => {
  const { folder, start } = createWorkspace(t, 'http://127.0.0.1:9');
  t.ok(folder);
  const toServer = new PassThrough();
  const { ended } = start(['lsp'], { stdin: toServer, stdout: { write: () => true } });
  toServer.end();
  t.equal(await ended, 4);
});
