/** One run that proves the log line and the database. */
import { createHash } from 'node:crypto';
import { waitForRun } from '../../client/wait-for-run.ts';
import { known, type OnboardingContext } from '../context.ts';
import { done, type Step, todo } from '../engine/step.ts';
import { probePath, probeText, provable, readProbe } from '../probe.ts';

const patienceMs = 60_000;

/** What the proof holds for: another config, image or path is proved anew. */
function hashOf(context: OnboardingContext, text: string): string {
  const { config_hash: config = '' } = context.journal.facts ?? {};
  return createHash('sha256').update(`${config}\0${context.asked.image}\0${text}`).digest('hex');
}

function textOf(context: OnboardingContext): string {
  const path = probePath(context.ports.readScenarios(context.asked.testDir));
  return probeText(path, provable(known(context, 'project')));
}

/** The step. */
export const proofStep: Step<OnboardingContext> = {
  id: 'proof',
  title: 'log line and database',
  skip: ({ found }) => (found.isSeen ? undefined : 'the executor is not seen yet'),
  async check(context) {
    const { log, database } = provable(known(context, 'project'));
    if (!log && !database) return done('the config names neither a log nor a database');
    const isProved = context.journal.facts?.proved_hash === hashOf(context, textOf(context));
    return isProved ? done('proved before') : todo('not proved yet');
  },
  async act(context) {
    const { journal, signal, say, found } = context;
    const client = known(context, 'client');
    const wanted = provable(known(context, 'project'));
    const text = textOf(context);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    const [run] = await client.runs.request(known(context, 'instanceId'), { scenarios: [{ text }] }, { signal });
    if (!run) throw new TypeError('one scenario was requested, and no run came back');
    say(`probe run ${run.run_id}`);
    const ended = await waitForRun(client, run.run_id, { signal: limit }).catch((error: unknown) => {
      signal.throwIfAborted();
      if (limit.aborted) return undefined;
      throw error;
    });
    if (!ended) {
      const reason = `the probe run ${run.run_id} has not ended within ${patienceMs / 1000} s`;
      return { detail: reason, shortfall: { reason, cure: `see \`vp runs show ${run.run_id}\``, passes: false } };
    }
    const { facts, troubles } = readProbe(ended, wanted);
    found.probe = facts;
    if (troubles.length > 0) {
      const reason = troubles.map((trouble) => trouble.reason).join('; ');
      return {
        detail: reason,
        shortfall: { reason, cure: troubles.map(({ cure }) => cure).join('; '), passes: false },
      };
    }
    await journal.put({ proved_hash: hashOf(context, text) });
    const log =
      facts.logLines === undefined ? '' : `${facts.logLines} log ${facts.logLines === 1 ? 'line' : 'lines'} found`;
    const database = facts.database === undefined ? '' : 'database read';
    return { detail: [log, database].filter(Boolean).join(', ') };
  },
};
