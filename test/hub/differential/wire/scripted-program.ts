/** A scripted server on standard streams; its argument is the revision. */
import { parseExact } from './exact-text.ts';
import { type JsonObject, newest, revisions } from './script.ts';
import { ScriptedSession, toChangeNotification, World } from './scripted-session.ts';

const revision = revisions.find((known) => known === process.argv[2]) ?? newest;
const world = new World();
const session = new ScriptedSession(revision, world, true);
const send = (text: string): void => void process.stdout.write(`${text}\n`);

function subscribe({ id, params }: JsonObject): void {
  const { notifications } = Object(params);
  const notify = (method: string, sent: JsonObject): void => {
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
    send(JSON.stringify({ jsonrpc: '2.0', method, params: { ...sent, _meta } }));
  };
  notify('notifications/subscriptions/acknowledged', { notifications });
  world.listeners.add((change) => {
    const { method, params: sent = {} } = toChangeNotification(change);
    const isRequested =
      'elicitationId' in change
        ? false
        : 'uri' in change
          ? notifications.resourceSubscriptions?.includes(change.uri)
          : notifications[`${change.list}ListChanged`];
    if (isRequested) notify(method, sent);
  });
}

if (revision !== newest) session.listen(send);
function receive(text: string): void {
  const message = Object(parseExact(text));
  if (message.method === 'subscriptions/listen' && revision === newest) subscribe(message);
  else void session.handle(text, message, { send, breakOff: async () => {}, end: () => {} });
}

let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  // `node:readline` ends lines at U+2028 too.
  const lines = `${rest}${chunk}`.split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) receive(line);
});
