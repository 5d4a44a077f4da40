/**
 * `vp new` on applications that this project did not write, from the development dependencies: at most six answers lead from
 * an empty folder to a verdict, whatever they have of authentication, log and OpenAPI document.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createWorkspace } from '../test-workspace.ts';
import { startFastifyExample, startInspector, startJsonServer, startMockServer } from './foreign-applications.ts';
import { listNextCommands } from './own-application.ts';
import { createTyping } from './typing.ts';

const apiToken = 'token-of-the-inspector';
const maxAnswers = 6;

function createEmptyFolder(t: Test) {
  const workspace = createWorkspace(t, 'http://127.0.0.1:1');
  rmSync(join(workspace.folder, 'product'), { recursive: true });
  return workspace;
}

/** Runs `vp new` as a person would who types `answers`, and proves the scenario that it wrote. */
async function answerQuestions(
  t: Test,
  { vp, folder }: ReturnType<typeof createEmptyFolder>,
  answers: readonly string[],
  scenario: string,
): Promise<{ readonly text: string; readonly output: string; readonly config: string }> {
  t.ok(answers.length <= maxAnswers, `${answers.length} answers`);
  const typing = createTyping(answers);
  const startMs = performance.now();
  const { code, stdout, stderr } = await vp(['new'], { stdin: typing.stdin, stderr: typing.stderr });
  t.comment(`${Math.round(performance.now() - startMs)} ms with ${answers.length} answers`);
  t.equal(code, 0, `${typing.written()}${stdout}${stderr}`);
  t.same(typing.remaining, []);
  t.match(stdout, new RegExp(`✓ ${scenario} {2}passed`));
  const [prove = []] = listNextCommands(stdout);
  t.equal((await vp(prove)).code, 0, `vp ${prove.join(' ')}`);
  return {
    text: readFileSync(join(folder, `test/scenarios/${scenario}.md`), 'utf8'),
    output: stdout,
    config: readFileSync(join(folder, 'product/platform-config.yaml'), 'utf8'),
  };
}

t.test('json-server: no authentication, a log of text, no OpenAPI document', async (t) => {
  const workspace = createEmptyFolder(t);
  const { origin, logFile } = await startJsonServer(t, workspace.folder);
  const answers = [`${origin}\n`, '\n', '/posts\n', `${logFile}\n`, '\n'];
  const { text, output } = await answerQuestions(t, workspace, answers, 'RT-GET-posts');
  t.match(output, /GET \/posts: 200, JSON, list of 2/);
  t.match(output, /log +lines of text, by the parameter vp_run\n +GET \/posts\?vp_run=\S+ 200/, 'a real line is shown');
  t.match(text, /- status=200\n- body has \[0\]\.id .*\n- body has \[0\]\.title .*\n- log lines>=1\n/);
});

t.test('an example of fastify-cli: no authentication, a JSON log, no OpenAPI document', async (t) => {
  const workspace = createEmptyFolder(t);
  const { origin, logFile } = await startFastifyExample(t, workspace.folder);
  const answers = [`${origin}\n`, '\n', '\n', `${logFile}\n`, '\n'];
  const { text, config, output } = await answerQuestions(t, workspace, answers, 'RT-GET-root');
  t.match(output, /log +JSON lines, level in `level` \(30\), the id of a run in `req\.url`/);
  t.match(config, /log_format: json\n +correlation_field: req\.url\n +level_field: level\n/);
  t.match(text, /- body has hello equals world\n- log lines>=1\n- log errors=0\n/);
});

t.test('a mock server of Scalar: authentication, an OpenAPI document, no log', async (t) => {
  const workspace = createEmptyFolder(t);
  const { origin } = await startMockServer(t, workspace.folder);
  const answers = [`${origin}\n`, '\n', 'token-of-the-galaxy\r', '\n', 'none\n', '\n'];
  const { text, config, output } = await answerQuestions(t, workspace, answers, 'RT-GET-me');
  t.match(output, /API document +OpenAPI 3\.1\.1 at \/openapi\.json: 10 operations, 2 of them GET/);
  t.match(output, /✓ credential +accepted/);
  t.match(config, /bearer_token: "?\$\{API_TOKEN\}/);
  t.match(text, 'GET ${INGESTION_URL}/me\n');
  t.notMatch(text + config + output, 'token-of-the-galaxy');
});

t.test('the MCP inspector: without its token only what is open is checked, and what needs it is named', async (t) => {
  const { vp, folder } = createEmptyFolder(t);
  const { origin } = await startInspector(t, folder, apiToken);

  const refused = await vp(['new', '--yes', '--base-url', origin, '--from', 'GET /api/config']);
  t.match(refused.stderr, 'NEW_UNAUTHORIZED', 'a scenario that passes with 401 would be no verdict');

  const open = await vp(['new', '--yes', '--base-url', origin]);
  t.equal(open.code, 0, open.stderr);
  t.match(open.stdout, /! credential +GET \/api.* answered 401/);
  t.notMatch(open.stdout, /answers .*\/version/, 'the page for unknown paths is no answer to them');

  const args = [
    'new',
    '--yes',
    '--force',
    '--base-url',
    origin,
    '--from',
    'GET /api/config',
    '--auth-header',
    'x-mcp-remote-auth',
  ];
  const signedIn = await vp([...args, '--secret-from', 'T'], { variables: { T: `Bearer ${apiToken}` } });
  t.equal(signedIn.code, 0, signedIn.stdout + signedIn.stderr);
  t.match(signedIn.stdout, /✓ RT-GET-config {2}passed {2}status 200/);
  const text = readFileSync(join(folder, 'test/scenarios/RT-GET-config.md'), 'utf8');
  t.match(text, 'x-mcp-remote-auth: ${API_KEY}');
  t.notMatch(text, apiToken);
  t.equal((await vp(['prove', '--local', 'RT-GET-config'])).code, 0);
});
