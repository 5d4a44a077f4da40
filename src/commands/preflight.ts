/** `vp preflight`: whether this machine can be onboarded, and what is in the way. */
import { resolve } from 'node:path';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { preflightContext } from '../onboarding/preflight/context.ts';
import { type PreflightReport, preflight } from '../onboarding/preflight/preflight.ts';
import { paintFor } from '../terminal/paint.ts';
import { progressOn } from '../terminal/progress.ts';
import { checkText, countsText } from './checks/checks-text.ts';
import { command, type Invocation } from './command.ts';

const flags = {
  'product-dir': {
    type: 'string',
    placeholder: '<folder>',
    describe: 'folder of platform-config.yaml: the ports of the target that it names are looked at too',
  },
  'kube-context': {
    type: 'string',
    placeholder: '<name>',
    describe: 'a cluster; this tier has none, so that nothing is looked at there',
  },
} as const;

type Call = Invocation<typeof flags>;

async function look({ flags, environment }: Call): Promise<PreflightReport> {
  const productDir = flags['product-dir'];
  const progress = progressOn(environment.streams.stderr, environment.clock);
  const wish = {
    productDir: productDir === undefined ? undefined : resolve(environment.cwd, productDir),
    kubeContext: flags['kube-context'],
  };
  try {
    return await preflight(
      preflightContext(environment, wish, { onCheck: ({ title }) => progress.tell(`looking at ${title}`) }),
    );
  } finally {
    progress.end();
  }
}

function closing({ outcome, checks }: PreflightReport): string {
  const counts = countsText(checks);
  if (outcome === 'problem') return `not ready: ${counts}; nothing was changed`;
  return counts === '' ? 'ready' : `ready, with ${counts}`;
}

async function run(call: Call): Promise<ExitCode> {
  const { streams, variables } = call.environment;
  const report = await look(call);
  const paint = paintFor(streams.stdout, variables, call.json);
  const text = `${report.checks.map((checked) => checkText(checked, paint)).join('')}${closing(report)}\n`;
  streams.stdout.write(call.json ? `${JSON.stringify(report, null, 2)}\n` : text);
  return report.outcome === 'problem' ? exitCode.notReady : exitCode.done;
}

/** The command. */
export const preflightCommand = command({
  name: 'preflight',
  summary: 'check whether this machine is ready to be onboarded, and name what is in the way',
  positionals: [],
  flags,
  examples: [
    ['vp preflight', 'container engine, ports and who holds them, disk, memory, bash'],
    ['vp preflight --product-dir product', 'also the published ports of the target'],
  ],
  notes: 'Changes nothing. Exit code 0: ready (there may be warnings). 3: not ready; every problem is told at once.',
  run,
});
