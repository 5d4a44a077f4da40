/** `vp new` with questions on a plain terminal: at most six, and nothing is written after Ctrl-C. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createQuestions } from '../../../src/commands/new/questions.ts';
import { initialPromptState, type Prompt } from '../../../src/terminal/questions/prompt.ts';
import { itemsDocument, startOwnApplication, token } from './own-application.ts';
import { createTyping } from './typing.ts';

t.test('six answers lead to a verdict: address, way, token, request, log, database', async (t) => {
  const { vp, folder, target } = await startOwnApplication(t, {
    routes: { '/items': { data: [], total: 0 }, '/health': { status: 'ok' }, '/openapi.json': itemsDocument },
    protectedPaths: ['/items'],
  });
  const port = new URL(target.origin).port;
  const typing = createTyping([`${port}\n`, '\n', `${token}\r`, '\n', 'none\n', '\n']);
  const { code, stdout, stderr } = await vp(['new'], { stdin: typing.stdin, stderr: typing.stderr });
  t.equal(code, 0, `${typing.written()}${stdout}${stderr}`);
  t.same(typing.remaining, []);
  t.match(typing.written(), /How do requests authenticate\?\n.*GET \/items answered 401/);
  t.match(typing.written(), /1 {2}a bearer token/, 'what the application wants comes first');
  t.notMatch(typing.written() + stdout, token, 'the token is not echoed');
  t.match(stdout, /✓ RT-GET-items {2}passed/);
  t.equal(readFileSync(join(folder, 'product/.env'), 'utf8'), `API_TOKEN=${token}\n`);
});

t.test('an address where nothing answers is asked for again', async (t) => {
  const { vp, target } = await startOwnApplication(t);
  const typing = createTyping([
    '127.0.0.1:1\n',
    'nothing at all\n',
    `${target.origin}\n`,
    '\n',
    '\n',
    'missing.log\n',
    'none\n',
    '\n',
  ]);
  const { code, stdout } = await vp(['new'], { stdin: typing.stdin, stderr: typing.stderr });
  t.equal(code, 0, typing.written());
  t.match(stdout, /! no answer/);
  t.match(typing.written(), /! the address contains a space/);
  t.match(typing.written(), /! there is no such file/);
});

t.test('Ctrl-C ends it, and nothing was written', async (t) => {
  const { vp, folder, target } = await startOwnApplication(t, { protectedPaths: ['/health'] });
  const typing = createTyping([`${target.origin}\n`, '\n', '\u0003']);
  const { code } = await vp(['new'], { stdin: typing.stdin, stderr: typing.stderr });
  t.equal(code, 130);
  t.match(typing.written(), 'NEW_CANCELLED');
  t.notOk(existsSync(join(folder, 'product')));
});

t.test('a wrong token is named as one, and asked for again', async (t) => {
  const { vp, folder, target } = await startOwnApplication(t, { protectedPaths: ['/health'] });
  const typing = createTyping([
    ...[`${target.origin}\n`, '\n', 'not-the-token\r', '\n', `${token}\r`, '\n'],
    ...['none\n', '\n'],
  ]);
  const { code, stdout } = await vp(['new'], { stdin: typing.stdin, stderr: typing.stderr });
  t.equal(code, 0, `${typing.written()}${stdout}`);
  t.match(stdout, /! credential +the target refuses the credential: \/health answered 401/);
  t.equal(readFileSync(join(folder, 'product/.env'), 'utf8'), `API_TOKEN=${token}\n`);
});

t.test('a request that is refused leads back to the question how requests authenticate', async (t) => {
  const routes = { '/health': { status: 'ok' }, '/drawers/7': { knives: 3 } };
  const { vp, folder, target } = await startOwnApplication(t, { routes, protectedPaths: ['/drawers/7'] });
  const typing = createTyping([
    // No authentication, and another request than the one that was found.
    ...[`${target.origin}\n`, '1\n', '2\n', 'GET /drawers/7\n', 'none\n'],
    // A bearer token, first a wrong one.
    ...['\n', 'not-the-token\r', '\n', `${token}\r`, '\n'],
  ]);
  const { code, stdout } = await vp(['new'], { stdin: typing.stdin, stderr: typing.stderr });
  t.equal(code, 0, `${typing.written()}${stdout}`);
  t.same(typing.remaining, []);
  t.match(stdout, /! credential +a credential is needed: GET \/drawers\/7 answered 401 without one/);
  t.match(stdout, /! credential +the target refuses the credential: \/drawers\/7 answered 401/);
  t.match(stdout, /✓ RT-GET-drawers\S* {2}passed/);
  t.equal(readFileSync(join(folder, 'product/.env'), 'utf8'), `API_TOKEN=${token}\n`);
});

t.test('a request that is refused may be replaced by another one', async (t) => {
  const routes = { '/health': { status: 'ok' }, '/drawers/7': { knives: 3 } };
  const { vp, folder, target } = await startOwnApplication(t, { routes, protectedPaths: ['/drawers/7'] });
  const typing = createTyping([
    ...[`${target.origin}\n`, '1\n', '2\n', 'GET /drawers/7\n', 'none\n'],
    // A bearer token that is refused, then the fifth choice, and the request that was found.
    ...['\n', 'not-the-token\r', '5\n', '1\n', '\n'],
  ]);
  const { code, stdout } = await vp(['new'], { stdin: typing.stdin, stderr: typing.stderr });
  t.equal(code, 0, `${typing.written()}${stdout}`);
  t.match(typing.written(), /GET \/drawers\/7 answered 401 without a credential/);
  t.match(typing.written(), /GET \/drawers\/7 answered 401 with that credential/);
  t.match(typing.written(), /5 {2}choose another request/);
  t.match(stdout, /✓ RT-GET-health {2}passed/);
  t.ok(existsSync(join(folder, 'test/scenarios')) || existsSync(join(folder, 'scenarios')));
});

t.test('a request or a token that is being typed is left for the choices before it', async (t) => {
  const { vp, folder, target } = await startOwnApplication(t);
  const typing = createTyping([
    // A bearer token, back, a key in a header, back, no authentication.
    ...[`${target.origin}\n`, '2\n', '<\r', '4\n', '<\n', '1\n'],
    // Another request, back, and the one that was found. A database, back, and none.
    ...['2\n', '<\n', '1\n', 'none\n', 'postgres://reader@127.0.0.1:5432/shop\n', '\r', '<\r', '\n'],
  ]);
  const { code, stdout } = await vp(['new'], { stdin: typing.stdin, stderr: typing.stderr });
  t.equal(code, 0, `${typing.written()}${stdout}`);
  t.same(typing.remaining, []);
  t.match(typing.written(), /The token:\n.*\n {2}<: How do requests authenticate\?/);
  t.match(typing.written(), /The password of reader:[\s\S]*! must not be empty/);
  t.match(stdout, /✓ RT-GET-health {2}passed/);
  t.notOk(existsSync(join(folder, 'product/.env')));
});

t.test('a token of a flag that is refused ends it', async (t) => {
  const { vp, folder, target } = await startOwnApplication(t, { protectedPaths: ['/health'] });
  const typing = createTyping([]);
  const variables = { WRONG: 'not-the-token' };
  const line = ['new', '--base-url', target.origin, '--secret-from', 'WRONG'];
  const { stderr } = await vp(line, { variables, stdin: typing.stdin, stderr: typing.stderr });
  t.match(typing.written() + stderr, /check the value in the variable WRONG and the way it is sent/);
  t.notOk(existsSync(join(folder, 'product')));
});

t.test('files that would change are replaced only after a yes', async (t) => {
  const { vp, target, write } = await startOwnApplication(t);
  const config = write('product/platform-config.yaml', 'project: { name: mine }\n');
  const answers = [`${target.origin}\n`, '\n', '\n', 'none\n', '\n'];
  const no = createTyping([...answers, '\n']);
  t.equal((await vp(['new'], { stdin: no.stdin, stderr: no.stderr })).code, 130);
  t.match(readFileSync(config, 'utf8'), 'mine');
  const yes = createTyping([...answers, '2\n']);
  t.equal((await vp(['new'], { stdin: yes.stdin, stderr: yes.stderr })).code, 0, yes.written());
  t.notMatch(readFileSync(config, 'utf8'), 'mine');
});

t.test('a cancelled prompt of any kind rejects', async (t) => {
  const questions = createQuestions(async (_prompt: Prompt) => ({ ...initialPromptState, outcome: 'cancelled' }));
  await t.rejects(questions.text({ label: 'a' }), { code: 'NEW_CANCELLED' });
  await t.rejects(questions.secret({ label: 'a' }), { code: 'NEW_CANCELLED' });
  await t.rejects(questions.choose('a', [{ value: 1, label: 'b' }]), { code: 'NEW_CANCELLED' });
});
