/** `vp preflight`: whether this machine is ready for onboarding. */
import { resolve } from 'node:path';
import { command, type Invocation } from '../../command-line/command.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { createComposePlatform } from '../../onboarding/compose/compose-platform.ts';
import { createPreflightContext } from '../../onboarding/preflight/context.ts';
import { type PreflightReport, runPreflightChecks } from '../../onboarding/preflight/preflight.ts';
import { paintFor } from '../../terminal/paint.ts';
import { createProgress } from '../../terminal/progress.ts';
import { productFolderFlag } from '../role-flags.ts';
import { formatCounts, formatSetupCheck, formatSkipped } from './checks-text.ts';

const flags = {
  'product-dir': {
    ...productFolderFlag,
    describe: 'folder of platform-config.yaml; the ports of its target are checked too',
  },
  'kube-context': {
    type: 'string',
    placeholder: '<name>',
    describe: 'ignored: this tier has no cluster to check',
  },
} as const;

type Call = Invocation<typeof flags>;

async function runPreflight({ flags, environment }: Call): Promise<PreflightReport> {
  const productDir = flags['product-dir'];
  const progress = createProgress(environment.streams.stderr, environment.clock);
  const request = {
    productDir: productDir === undefined ? undefined : resolve(environment.cwd, productDir),
    kubeContext: flags['kube-context'],
  };
  try {
    return await runPreflightChecks(
      createPreflightContext(environment, createComposePlatform(environment), request, {
        onCheck: ({ title }) => progress.update(`checking ${title}`),
      }),
    );
  } finally {
    progress.stop();
  }
}

function formatSummary({ outcome, checks }: PreflightReport): string {
  const counts = formatCounts(checks);
  if (outcome === 'problem') return `not ready: ${counts}; nothing was changed`;
  return `${counts === '' ? 'ready' : `ready, with ${counts}`}${formatSkipped(checks)}`;
}

async function run(call: Call): Promise<ExitCode> {
  const { streams, variables } = call.environment;
  const report = await runPreflight(call);
  const paint = paintFor(streams.stdout, variables, call.json);
  const text = `${report.checks.map((checked) => formatSetupCheck(checked, paint)).join('')}${formatSummary(report)}\n`;
  streams.stdout.write(call.json ? `${JSON.stringify(report, null, 2)}\n` : text);
  return report.outcome === 'problem' ? exitCode.notReady : exitCode.done;
}

export const preflightCommand = command({
  name: 'preflight',
  summary: 'check whether this machine is ready for onboarding',
  positionals: [],
  flags,
  examples: [
    ['vp preflight', 'checks the container engine, ports and their owners, disk, memory, bash'],
    ['vp preflight --product-dir product', 'also checks the published ports of the target'],
  ],
  notes: 'Changes nothing. Exit code 0: ready (there may be warnings). 3: not ready; all problems are listed.',
  run,
});
