/**
 * A control plane that is killed (kill -9) while approved calls are on their way: before the approval is used, between its use and the row of
 * intent, before the request, before its answer. No approval is used twice, and nothing says more than is known. VP_APPROVAL_KILLS plays
 * more than the few of `npm test`, VP_APPROVAL_SEED chooses the moments.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import type { AuditCall } from '../../src/contract/hubs/audit-api.ts';
import { eventually } from '../eventually.ts';
import type { TestBrowser } from '../server/test-browser.ts';
import { createSeededRandom, type SeededRandom } from '../storm/seeded-random.ts';
import { decide, listApprovals, path, type RpcResponse, startAttackedHub } from './hub-attacks.ts';
import { sandboxTest } from './sandbox.ts';

const kills = Number(process.env.VP_APPROVAL_KILLS ?? 2);
const seed = Number(process.env.VP_APPROVAL_SEED ?? 20261127);
const callsPerKill = 10;
const maxDelayMs = 60;
const maxPauseMs = 8;

type AttackedHub = Awaited<ReturnType<typeof startAttackedHub>>;
/** The calls of one kill: ids of their approvals, and of their tasks, by the text of the call. */
type Round = {
  readonly from: string;
  readonly token: string;
  readonly approvals: ReadonlyMap<string, string>;
  readonly taskIds: ReadonlyMap<string, string>;
};
type Counts = Record<'unused' | 'usedUnsent' | 'sentUnanswered' | 'answered', number>;

const toCall = (text: string) => ({ name: 'c0__echo', arguments: { text } });
const isOk = ({ result, error }: RpcResponse): boolean => !error && result !== undefined && result.isError !== true;

/** Kills at a moment of the seed: when the server gets one of the calls, or after a delay. Resolves when `vp serve` runs again. */
function killWithin(hub: AttackedHub, random: SeededRandom): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const remaining = random.chance(0.7) ? random.integer(1, callsPerKill) : Number.POSITIVE_INFINITY;
  let sent = 0;
  hub.onSent(() => {
    sent += 1;
    if (sent === remaining) setTimeout(resolve, random.fraction() * maxPauseMs);
    return sleep(random.fraction() * maxPauseMs);
  });
  // The server may get fewer calls than it waits for.
  const timer = setTimeout(
    resolve,
    remaining === Number.POSITIVE_INFINITY ? random.fraction() * maxDelayMs : maxDelayMs,
  );
  return promise.then(() => {
    clearTimeout(timer);
    hub.onSent(() => {});
    return hub.restart();
  });
}

async function readStates(owner: TestBrowser): Promise<ReadonlyMap<string, string>> {
  return new Map((await listApprovals(owner, '?state=all')).map(({ approval, state }) => [approval, state]));
}

/** All of them: a search leaves out rows of intent that have an outcome. */
async function readRows(owner: TestBrowser, from: string): Promise<readonly AuditCall[]> {
  const query = new URLSearchParams({ format: 'jsonl', from }).toString();
  const text = await (await owner.ask('GET', `${path}/audit/export?${query}`)).text();
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

/** What the approvals and the audit say after a kill is what the server has seen. */
async function checkRound(t: Test, hub: AttackedHub, owner: TestBrowser, round: Round, answered: ReadonlySet<string>) {
  const [states, rows] = [await readStates(owner), await readRows(owner, round.from)];
  const counts: Counts = { unused: 0, usedUnsent: 0, sentUnanswered: 0, answered: 0 };
  for (const [text, id] of round.approvals) {
    const sent = hub.sent.filter((item) => item === text).length;
    const isUsed = states.get(id) === 'used';
    t.ok(sent <= (isUsed ? 1 : 0), `${text}: sent ${sent} times with an approval that is ${states.get(id)}`);
    const intents = rows.filter((row) => row.outcome === 'started' && row.arguments?.includes(`"${text}"`));
    const outcomes = rows.filter(({ intent_seq: seq }) => intents.some((intent) => intent.seq === seq));
    t.ok(intents.length >= sent && intents.length <= (isUsed ? 1 : 0), `${text}: ${intents.length} rows of intent`);
    t.equal(outcomes.length, intents.length, `${text}: each intent has one outcome`);
    const outcome = outcomes[0]?.outcome ?? 'none';
    const uses = rows.filter(({ method, reason }) => method === 'approval used' && reason?.includes(id));
    t.ok(uses.length >= intents.length && uses.length <= (isUsed ? 1 : 0), `${text}: ${uses.length} rows of use`);
    t.ok(['ok', 'unknown', 'none'].includes(outcome), `${text}: ${outcome}`);
    if (outcome === 'ok') t.equal(sent, 1, `${text}: what is recorded as done was done`);
    if (answered.has(text)) t.same([sent, outcome], [1, 'ok'], `${text}: what was answered has its row`);
    if (!isUsed) counts.unused += 1;
    else if (sent === 0) counts.usedUnsent += 1;
    else if (answered.has(text)) counts.answered += 1;
    else counts.sentUnanswered += 1;
  }
  return { states, counts };
}

/** An approval that was not used before the kill is good for one call, one that was used for none. */
async function callAgain(t: Test, hub: AttackedHub, { token, approvals }: Round, states: ReadonlyMap<string, string>) {
  for (const [text, id] of approvals) {
    const before = hub.sent.length;
    const isUnused = states.get(id) === 'approved';
    const response = await hub.send(token, 'tools/call', toCall(text));
    t.equal(isOk(response), isUnused, `${text}: an approval that is ${states.get(id)}, again`);
    t.equal(hub.sent.length - before, isUnused ? 1 : 0);
  }
}

async function playCalls(t: Test, hub: AttackedHub, owner: TestBrowser, round: Round, random: SeededRandom) {
  const { token, approvals } = round;
  const ids = [...approvals.values()];
  t.same(new Set(await Promise.all(ids.map((id) => decide(owner, id, 'approve')))), new Set([200]));
  const answered = new Set<string>();
  const killed = killWithin(hub, random);
  const calls = [...approvals.keys()].map(async (text) => {
    if (isOk(await hub.send(token, 'tools/call', toCall(text)))) answered.add(text);
  });
  await Promise.allSettled(calls);
  await killed;
  const again = await hub.signInAgain('ana');
  const { states, counts } = await checkRound(t, hub, again, round, answered);
  await callAgain(t, hub, round, states);
  return counts;
}

/** Tasks are made by the control plane when they are approved. After the kill they go on, unless their call had started. */
async function playTasks(t: Test, hub: AttackedHub, owner: TestBrowser, round: Round, random: SeededRandom) {
  const { token, approvals, taskIds } = round;
  const killed = killWithin(hub, random);
  await Promise.allSettled([...approvals.values()].map((id) => decide(owner, id, 'approve')));
  await killed;
  const again = await hub.signInAgain('ana');
  const pending = await listApprovals(again);
  await Promise.all(pending.map(({ approval }) => decide(again, approval, 'approve')));
  const completed = new Set<string>();
  /** Started, and killed before its approval was used. */
  const unsent = new Set<string>();
  for (const [text, taskId] of taskIds) {
    const read = async () => (await hub.send(token, 'tasks/get', { taskId })).result?.status;
    const status = await eventually(read, {
      until: (value) => value !== 'working',
      timeoutMs: 120_000,
      description: `${text} ends`,
    });
    const response = await hub.send(token, 'tasks/result', { taskId });
    t.equal(isOk(response), status === 'completed', `${text} is ${status}`);
    if (status === 'completed') completed.add(text);
    else if (/"The hub stopped before the call was sent\. Make the call again/.test(JSON.stringify(response.result)))
      unsent.add(text);
    else t.match(response.result, { content: [{ text: /does not send it again/ }] }, `${text}: the caller learns why`);
  }
  const { states, counts } = await checkRound(t, hub, again, round, completed);
  for (const [text, id] of approvals)
    t.equal(states.get(id), unsent.has(text) ? 'approved' : 'used', `${text}: no approved task is forgotten`);
  return counts;
}

sandboxTest(
  'approved calls over kills: no approval is used twice, and each caller learns what happened',
  async (t, sandbox) => {
    const hub = await startAttackedHub(t, sandbox, undefined, ['--audit-intent']);
    const random = createSeededRandom(seed);
    const { token } = await hub.createToken();
    const totals: Counts = { unused: 0, usedUnsent: 0, sentUnanswered: 0, answered: 0 };
    let owner = hub.ana;
    for (let kill = 0; kill < kills; kill += 1) {
      const isTask = kill % 2 === 1;
      const from = new Date().toISOString();
      // A new policy ends what the last round left, which counts against what one person may have waiting.
      const document = { limits: [], audit: { keep_arguments: true }, approvals: [{ tools: 'c0__echo', hold_s: 0 }] };
      t.equal((await hub.setPolicy(document, owner)).status, 200);
      const texts = Array.from({ length: callsPerKill }, (_, index) => `${kill}-${index}`);
      const taskIds = new Map<string, string>();
      const approvals = new Map<string, string>();
      for (const text of texts) {
        const { result } = await hub.send(token, 'tools/call', { ...toCall(text), ...(isTask ? { task: {} } : {}) });
        if (isTask) taskIds.set(text, String(Object(result?.task).taskId));
        const known = new Set(approvals.values());
        const request = (await listApprovals(owner)).find(({ approval }) => !known.has(approval));
        approvals.set(text, request?.approval ?? '');
      }
      const counts = await (isTask ? playTasks : playCalls)(t, hub, owner, { from, token, approvals, taskIds }, random);
      for (const name of Object.keys(totals) as (keyof Counts)[]) totals[name] += counts[name];
      owner = await hub.signInAgain('ana');
    }
    await hub.restart();
    const verified = await sandbox.run(['audit', 'verify', '--data', hub.data], { variables: hub.variables });
    t.match(verified, { code: 0, stdout: /✓ acme/ });
    t.comment(`seed ${seed}: ${kills} kills, ${JSON.stringify(totals)}`);
  },
);
