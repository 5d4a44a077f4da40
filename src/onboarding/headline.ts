/** The last words of an onboarding: the outcome, and what there is now. */
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import type { OnboardingContext } from './context.ts';
import type { StepsEnd } from './engine/run-steps.ts';
import type { Shortfall } from './engine/step.ts';
import { notReadyCure } from './steps/executor-seen.ts';

/** The outcome and its facts, for programs. */
export type Headline = {
  readonly outcome: 'ALL SET' | 'PARTIALLY SET' | 'NOT READY';
  readonly exit_code: ExitCode;
  /** Nothing was to do. */
  readonly unchanged: boolean;
  readonly reasons: readonly { readonly reason: string; readonly cure: string }[];
  readonly control_plane: string;
  readonly dashboard: { readonly url: string; readonly status: 'up' | 'down' };
  readonly instance: { readonly id: string; readonly executor_status: string; readonly executor_port: number | null };
  readonly scenarios: {
    readonly imported: number;
    readonly total: number;
    readonly refused: readonly { readonly file: string; readonly reason: string }[];
  };
  readonly test_agent: AgentLine;
  readonly product_agent: AgentLine;
  readonly transcript: string | null;
};

type AgentLine = { readonly tools: number | null; readonly folder: string };

const usualDashboard = 'http://127.0.0.1:3000';

/** Made from what the steps have found. */
export function headlineOf(context: OnboardingContext, end: StepsEnd): Headline {
  const { asked, found, transcript } = context;
  const { outcome, exit_code } = outcomeOf(end.shortfalls);
  return {
    outcome,
    exit_code,
    unchanged: end.acted === 0,
    reasons: end.shortfalls.map(({ reason, cure }) => ({ reason, cure })),
    control_plane: asked.controlPlane,
    dashboard: { url: found.project?.dashboardUrl ?? usualDashboard, status: found.dashboard ?? 'down' },
    instance: {
      id: found.instanceId ?? '',
      executor_status: found.instance?.executor_status ?? 'NEVER_SEEN',
      executor_port: found.port ?? null,
    },
    scenarios: {
      imported: found.imported?.imported ?? 0,
      total: found.imported?.total ?? 0,
      refused: found.imported?.refused ?? [],
    },
    test_agent: { tools: found.agents?.test?.tools ?? null, folder: asked.testDir },
    product_agent: { tools: found.agents?.product?.tools ?? null, folder: asked.productDir },
    transcript: transcript.file ?? null,
  };
}

/** What waits for the executor is not ready (exit code 3); everything else that is short is partial. */
function outcomeOf(shortfalls: readonly Shortfall[]): Pick<Headline, 'outcome' | 'exit_code'> {
  if (shortfalls.length === 0) return { outcome: 'ALL SET', exit_code: exitCode.done };
  if (shortfalls.some(({ passes }) => passes)) return { outcome: 'NOT READY', exit_code: exitCode.notReady };
  return { outcome: 'PARTIALLY SET', exit_code: exitCode.checkFailed };
}

/** The same for people. */
export function headlineText(headline: Headline): string {
  const { outcome, instance, scenarios, dashboard } = headline;
  const agent = ({ tools, folder }: AgentLine): string => `${tools ?? 'no'} tools, in ${folder}`;
  const facts: readonly (readonly [string, string])[] = [
    ['control plane', headline.control_plane],
    ['dashboard', `${dashboard.url} (${dashboard.status})`],
    ['instance', `${instance.id}, executor ${instance.executor_status}, 127.0.0.1:${instance.executor_port ?? '?'}`],
    ['scenarios', `imported ${scenarios.imported} of ${scenarios.total}`],
    ['test agent', agent(headline.test_agent)],
    ['product agent', agent(headline.product_agent)],
    ...(headline.transcript === null ? [] : ([['transcript', headline.transcript]] as const)),
  ];
  const lines = facts.map(([name, value]) => `  ${name.padEnd(13)}  ${value}`);
  const refused = scenarios.refused.map(({ file, reason }) => `    refused ${file}: ${reason}`);
  const nothing = headline.unchanged && outcome === 'ALL SET' ? ['Nothing was to do.'] : [];
  return `${[titleOf(headline), ...cureLines(headline), ...lines, ...refused, ...nothing].join('\n')}\n`;
}

function titleOf({ outcome, instance, reasons }: Headline): string {
  const told = reasons.map(({ reason }) => reason).join('; ');
  if (outcome === 'ALL SET') return outcome;
  if (outcome === 'PARTIALLY SET') return `${outcome}: ${told}`;
  return `the instance ${instance.id} is registered but something was not ready: ${notReadyCure} (${told})`;
}

/** What to do, once each. */
function cureLines({ outcome, reasons }: Headline): string[] {
  const cures = reasons.map(({ cure }) => cure).filter((cure) => outcome !== 'NOT READY' || cure !== notReadyCure);
  return [...new Set(cures)].map((cure) => `    ${cure}`);
}
