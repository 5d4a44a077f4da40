import { resolve } from 'node:path';
import { command } from '../../command-line/command.ts';
import { type AcceptedLosses, acceptLoss } from '../../control/accept-loss.ts';
import { exitCode } from '../../errors/exit-code.ts';
import type { AcceptedLoss } from '../../store/control/accepted-losses.ts';
import { storeFolderFlag } from '../role-flags.ts';
import { completeCommands } from '../suggest.ts';

function formatLoss({ at_ms, problem }: AcceptedLoss): string {
  return `${new Date(at_ms).toISOString()}  ${problem}`;
}

function formatLosses({ accepted, earlier, ended, cancelled }: AcceptedLosses, folder: string): string {
  const lines = earlier.map((loss) => `accepted earlier: ${formatLoss(loss)}`);
  if (accepted.length === 0) return `${[...lines, `no store in ${folder} has lost changes`].join('\n')}\n`;
  lines.push(...accepted.map((loss) => `accepted: ${formatLoss(loss)}`));
  if (ended > 0) lines.push(`${ended} runs that were in progress ended as failed (executor_lost)`);
  if (cancelled > 0)
    lines.push(`${cancelled} queued runs were cancelled, because they may have run: request them again`);
  if (accepted.some(({ store }) => store === 'control'))
    lines.push(
      'everyone must sign in again; API keys, agent tokens and members may be those of an earlier time: review them',
    );
  lines.push('next: start `vp serve`, then restart the executors');
  return `${lines.join('\n')}\n`;
}

/** `vp accept-loss`. */
export const acceptLossCommand = command({
  name: 'accept-loss',
  summary: 'continue with stores that have lost changes',
  positionals: [],
  flags: storeFolderFlag,
  examples: [['vp accept-loss', 'after `vp serve` has refused with STORE_WENT_BACK or STORE_LOST']],
  notes:
    'For stores whose newest changes cannot be brought back: a write-ahead log that was deleted, an older copy of a file, a store ' +
    'that is missing. As after a restore, leases end, queued runs are cancelled and everyone signs in again. The loss is ' +
    'recorded in the store, and this command lists it from then on. A damaged store is not accepted.\n' +
    'For files only: a PostgreSQL server guards its own log, and `vp restore` takes a backup into an empty database.',
  async run({ flags, json, environment, catalogue }) {
    const { cwd, paths, streams, clock, pid } = environment;
    const folder = resolve(cwd, flags.data ?? paths.data);
    const losses = await acceptLoss({ folder, clock, pid });
    const text = json ? '' : await completeCommands(formatLosses(losses, folder), { environment, catalogue });
    streams.stdout.write(json ? `${JSON.stringify({ data: folder, ...losses })}\n` : text);
    return exitCode.done;
  },
});
