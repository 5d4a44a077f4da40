/** A scripted server on standard streams; its arguments are the revision, and what it has of tasks. */
import { parseExact } from './exact-text.ts';
import { newest, revisions } from './script.ts';
import { ScriptedSession, startSubscription, World } from './scripted-session.ts';

const revision = revisions.find((known) => known === process.argv[2]) ?? newest;
const taskSupport = (['offered', 'needed'] as const).find((known) => known === process.argv[3]);
const world = new World(taskSupport);
const session = new ScriptedSession(revision, world, true);
const send = (text: string): void => void process.stdout.write(`${text}\n`);

if (revision !== newest) session.listen(send);
function receive(text: string): void {
  const message = Object(parseExact(text));
  if (message.method === 'subscriptions/listen' && revision === newest)
    startSubscription(world, message, (sent) => send(JSON.stringify(sent)));
  else void session.handle(text, message, { send, breakOff: async () => {}, end: () => {} });
}

let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  // `node:readline` ends lines at U+2028 too.
  const lines = `${rest}${chunk}`.split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) receive(line);
});
